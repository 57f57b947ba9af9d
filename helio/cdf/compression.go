package cdf

import (
	"bytes"
	"errors"
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

// compression reads the record that says how something is compressed, and
// returns where that record ends. It is small and variables may share one, so it
// is not counted as visited.
func (w *walker) compression(offset int64) (c Compression, end int64, err error) {
	b, err := w.bytes(offset, int(w.headSize()+4))
	if err != nil {
		return None, 0, fmt.Errorf("compression record: %w", err)
	}
	f := fields{b: b, wide: w.wide}
	size, kind := f.offset(), f.int()
	if kind != recordCPR || size < int64(len(b)) || size > w.size-offset {
		return None, 0, damaged("no compression record at offset %d", offset)
	}
	return Compression(f.int()), offset + size, nil
}

// A workspace holds what one read needs, so that reading again allocates little.
type workspace struct {
	packed []byte // a block as it is in the file
	plain  []byte // a piece of it, expanded
	value  []byte // what fills a gap
	source bytes.Reader
	gzip   gzip.Reader
	runs   runReader
}

const pieceSize = 128 << 10

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// done gives the workspace back, without what was needed for an unusual file.
func (ws *workspace) done() {
	const usual = 4 << 20
	if cap(ws.packed) > usual {
		ws.packed = nil
	}
	if cap(ws.plain) > usual {
		ws.plain = nil
	}
	if cap(ws.value) > usual {
		ws.value = nil
	}
	ws.source.Reset(nil)
	ws.runs = runReader{}
	workspaces.Put(ws)
}

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

// checkEnd goes on to the end of a block of which all records were read, which
// is what compares the sum of a gzip block with its bytes. What follows a sound
// gzip block is of no concern.
func checkEnd(r io.Reader, buf []byte) error {
	_, err := r.Read(buf[:1])
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, gzip.ErrHeader) {
		return nil
	}
	return expandError(err)
}

// expandError words what went wrong inside a compressed block.
func expandError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("a compressed block ends early")
	}
	return damaged("a compressed block cannot be expanded: %v", err)
}
