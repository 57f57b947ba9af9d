package repl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// readFrame takes one frame: four bytes of big-endian length, then as many bytes
// of UTF-8. It returns io.EOF only where a frame may end. An announced length
// costs as much memory, so limit is what a stranger can make this process hold.
func readFrame(r io.Reader, limit int) ([]byte, error) {
	var head [4]byte
	switch n, err := io.ReadFull(r, head[:]); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("frame ended after %d of 4 length bytes", n)
	case err != nil:
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size == 0 || uint64(size) > uint64(limit) {
		return nil, fmt.Errorf("frame length is %d bytes; it can be 1 to %d", size, limit)
	}
	body := make([]byte, size)
	switch n, err := io.ReadFull(r, body); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("frame ended after %d of %d bytes", n, size)
	case err != nil:
		return nil, err
	}
	if !utf8.Valid(body) {
		return nil, errors.New("frame is not UTF-8")
	}
	return body, nil
}

// appendFrame puts the length before data.
func appendFrame(dst, data []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(data)))
	return append(dst, data...)
}
