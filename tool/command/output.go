package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/helios-go/helios/secret"
)

// A capture keeps the beginning of a stream as it came. It keeps more than will
// be shown, so that a secret across the cap is there to its end when the text is
// redacted, and drops the rest.
type capture struct {
	keep  int
	buf   []byte
	over  bool // something was dropped
	watch *progress
}

func (c *capture) Write(p []byte) (int, error) {
	n := min(len(p), c.keep-len(c.buf))
	c.buf = append(c.buf, p[:n]...)
	c.over = c.over || n < len(p)
	if c.watch != nil {
		c.watch.write(p)
	}
	return len(p), nil
}

// ReadFrom reads to the end with a buffer that takes what a pipe holds.
func (c *capture) ReadFrom(r io.Reader) (n int64, err error) {
	buf := make([]byte, 64<<10)
	for {
		got, err := r.Read(buf)
		n += int64(got)
		_, _ = c.Write(buf[:got])
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// margin is how much more is kept than shown. Text that redaction makes shorter
// is then still as long as it may be.
func margin(r *secret.Redactor) int { return max(secret.MaxLen, r.Longest()) }

// text redacts first and cuts afterwards. At an end where something was dropped,
// what could be the beginning of a secret is not shown.
func (c *capture) text(r *secret.Redactor, most int) (text string, cut bool, counts secret.Counts) {
	var out bytes.Buffer
	w := r.Writer(&out) // a bytes.Buffer takes everything
	_, _ = w.Write(c.buf)
	if !c.over {
		_ = w.Close()
	}
	shown := bytes.ToValidUTF8(out.Bytes(), []byte("\uFFFD"))
	if cut = c.over || len(shown) > most; cut {
		shown = shorten(shown, most)
		if n := len(shown); n > 0 && shown[n-1] != '\n' {
			shown = append(shown[:n:n], '\n')
		}
		shown = fmt.Appendf(slices.Clip(shown), "[cut: only the first %d bytes are shown]\n", most)
	}
	return string(shown), cut, w.Counts()
}

// shorten cuts valid text so that no character is cut in two.
func shorten(b []byte, most int) []byte {
	if len(b) <= most {
		return b
	}
	for most > 0 && !utf8.RuneStart(b[most]) {
		most--
	}
	return b[:most]
}
