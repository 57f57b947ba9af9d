package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A frameReader takes frames from a descriptor on which any code of a program
// may write anything. It holds at most the bytes that have arrived, whatever
// length is announced.
type frameReader struct {
	r       io.Reader
	limits  Limits
	onFrame func(Frame)
	frames  []json.RawMessage
	total   int64
}

// readAll reads to the end. The error says which frame was wrong and how; it is
// the last thing read, since after a wrong length nothing has a meaning.
func (f *frameReader) readAll() error {
	for {
		frame, err := f.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read frame %d of the program: %w", len(f.frames)+1, err)
		}
		f.frames = append(f.frames, frame)
		if f.onFrame != nil {
			f.onFrame(frame)
		}
	}
}

// next returns io.EOF only where a frame may end.
func (f *frameReader) next() (Frame, error) {
	var head [4]byte
	switch n, err := io.ReadFull(f.r, head[:]); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("the descriptor was closed after %d of 4 length bytes", n)
	case err != nil:
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	switch {
	case size == 0:
		return nil, errors.New("its length is 0")
	case size > int64(f.limits.Frame):
		return nil, fmt.Errorf("its length of %d bytes is over the limit of %d", size, f.limits.Frame)
	case len(f.frames) >= f.limits.Frames:
		return nil, fmt.Errorf("there are more than %d frames", f.limits.Frames)
	case f.total+size > f.limits.FramesAll:
		return nil, fmt.Errorf("the frames together are over the limit of %d bytes", f.limits.FramesAll)
	}
	f.total += size
	var body bytes.Buffer
	n, err := io.CopyN(&body, f.r, size)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the descriptor was closed after %d of %d bytes", n, size)
	}
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(body.Bytes()) || !json.Valid(body.Bytes()) {
		return nil, errors.New("it is not JSON in UTF-8")
	}
	return body.Bytes(), nil
}
