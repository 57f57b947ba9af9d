package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// Limits of a tar that an archive sends.
const (
	maxMember  = 1 << 30 // bytes of one file in it
	maxTar     = 4 << 30 // bytes of all of it, unpacked
	maxMembers = 10_000
)

// eachCDF hands the CDFs in a tar, gzipped or not, to each, one after another. They
// are read from the stream and never written anywhere, so what they are called
// matters to nobody; links, folders and devices are passed over. A stream of nothing
// has none.
func eachCDF(r io.Reader, each func(name string, data []byte) error) error {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(2)
	if errors.Is(err, io.EOF) && len(bytes.TrimSpace(head)) == 0 {
		return nil
	}
	if len(head) < 2 && err != nil {
		return err
	}
	if head[0] == '<' {
		return errors.New("the answer is a page, and not a tar of CDFs")
	}
	var in io.Reader = b
	if bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return fmt.Errorf("unpack the answer: %w", err)
		}
		defer z.Close()
		in = z
	}
	limited := &limitReader{r: in, left: maxTar}
	t := tar.NewReader(limited)
	for n := 0; ; n++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			// To the end, where a gzip has its checksum and a broken stream its error.
			_, err = io.Copy(io.Discard, limited)
			return err
		}
		if err != nil {
			return fmt.Errorf("unpack the answer: %w", err)
		}
		if n == maxMembers {
			return fmt.Errorf("unpack the answer: it holds more than %d files", maxMembers)
		}
		if h.Typeflag != tar.TypeReg || !strings.EqualFold(path.Ext(h.Name), ".cdf") {
			continue
		}
		if h.Size > maxMember {
			return fmt.Errorf("unpack the answer: a file of %d bytes is more than the %d that are taken", h.Size, maxMember)
		}
		data, err := readMember(t, h.Size)
		if err != nil {
			return fmt.Errorf("unpack the answer: %w", err)
		}
		if err := each(path.Base(h.Name), data); err != nil {
			return err
		}
	}
}

// readMember reads size bytes, and does not believe the size before they are there.
func readMember(r io.Reader, size int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(size, 1<<20)) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(r, size))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}

// A limitReader is an error beyond its limit.
type limitReader struct {
	r    io.Reader
	left int64
}

func (l *limitReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("it unpacks to more than %d bytes", int64(maxTar))
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
