package votable

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A meter counts the bytes of one token, which the decoder keeps in memory whole:
// one without an end is refused before it fills that.
type meter struct {
	r io.Reader
	n int
}

func (m *meter) Read(p []byte) (int, error) {
	if m.n > 2*maxText {
		return 0, fmt.Errorf("a text is longer than %d bytes", maxText)
	}
	n, err := m.r.Read(p)
	m.n += n
	return n, err
}

// charset decodes what is not UTF-8.
func charset(label string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii":
		return r, nil
	case "iso-8859-1", "latin1", "latin-1", "windows-1252":
		return &latin1{r: bufio.NewReader(r)}, nil
	}
	return nil, fmt.Errorf("it is in the encoding %s, and only UTF-8 and Latin-1 can be read; convert it with iconv", label)
}

// latin1 gives ISO 8859-1 as UTF-8.
type latin1 struct {
	r    *bufio.Reader
	rest []byte
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		c, err := l.r.ReadByte()
		if err != nil {
			return 0, err
		}
		l.rest = utf8.AppendRune(l.rest[:0], rune(c))
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
