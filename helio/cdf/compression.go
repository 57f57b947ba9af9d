package cdf

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// Compression is how a variable or a whole file is compressed.
type Compression int

// The compressions. The two kinds of Huffman cannot be read.
const (
	None            Compression = 0
	RLE             Compression = 1 // runs of zero bytes
	Huffman         Compression = 2
	AdaptiveHuffman Compression = 3
	GZIP            Compression = 5
)

// String returns the name of the format's manuals, in lower case.
func (c Compression) String() string {
	switch c {
	case None:
		return "none"
	case RLE:
		return "rle"
	case Huffman:
		return "huffman"
	case AdaptiveHuffman:
		return "adaptive huffman"
	case GZIP:
		return "gzip"
	}
	return fmt.Sprintf("compression %d", int(c))
}

// maxExpansion is the most that n compressed bytes can become; see the
// deflate and gzip specifications for 1,032. A run takes 2 bytes for 256.
func (c Compression) maxExpansion(n int64) int64 {
	switch c {
	case RLE:
		return n * 128
	case GZIP:
		return n * gzipRatio
	}
	return n
}

const gzipRatio = 1032

// supported returns an error for what cannot be expanded.
func (c Compression) supported() error {
	switch c {
	case None, RLE, GZIP:
		return nil
	}
	return unsupported("%s compression is not supported; convert the file with cdfconvert", c)
}

// readCPR reads the record that says how something is compressed. It is small
// and may be shared, so it is not counted as visited.
func readCPR(s *source, offset int64) (Compression, error) {
	b := make([]byte, s.headSize()+4)
	if err := s.readAt(b, offset); err != nil {
		return None, fmt.Errorf("compression record: %w", err)
	}
	f := fields{b: b, wide: s.wide}
	if size, kind := f.offset(), f.int(); kind != recordCPR || size > s.size-offset {
		return None, damaged("no compression record at offset %d", offset)
	}
	return Compression(f.int()), nil
}

// A workspace holds what one read needs, so that reading again allocates little.
type workspace struct {
	packed []byte // a block as it is in the file
	plain  []byte // a piece of it, expanded
	source bytes.Reader
	gzip   gzip.Reader
	runs   runReader
}

const pieceSize = 128 << 10

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// expand returns a reader of the expanded form of packed.
func (ws *workspace) expand(c Compression, packed []byte) (io.Reader, error) {
	switch c {
	case GZIP:
		ws.source.Reset(packed)
		if err := ws.gzip.Reset(&ws.source); err != nil {
			return nil, damaged("a compressed block does not begin as gzip does")
		}
		return &ws.gzip, nil
	case RLE:
		ws.runs = runReader{packed: packed}
		return &ws.runs, nil
	}
	return nil, c.supported()
}

// runReader expands runs of zeros: a zero byte and n stand for n+1 zeros.
type runReader struct {
	packed []byte
	zeros  int
}

func (r *runReader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if r.zeros > 0 {
			run := min(r.zeros, len(p)-n)
			clear(p[n : n+run])
			n, r.zeros = n+run, r.zeros-run
			continue
		}
		next := bytes.IndexByte(r.packed, 0)
		if next < 0 {
			next = len(r.packed)
		}
		if c := copy(p[n:], r.packed[:next]); c > 0 {
			n, r.packed = n+c, r.packed[c:]
			continue
		}
		if len(r.packed) < 2 {
			if n > 0 {
				return n, nil
			}
			if len(r.packed) == 1 {
				return 0, io.ErrUnexpectedEOF
			}
			return 0, io.EOF
		}
		r.zeros, r.packed = int(r.packed[1])+1, r.packed[2:]
	}
	return n, nil
}

// expandError words what went wrong inside a compressed block.
func expandError(err error) error {
	switch err {
	case io.EOF, io.ErrUnexpectedEOF:
		return damaged("a compressed block ends early")
	}
	return damaged("a compressed block cannot be expanded: %v", err)
}
