package cdftest

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/gzip"

	"github.com/helios-go/helios/helio/cdf"
)

const gzipLevel = 6

// compress returns b compressed. The Huffman kinds give their input back, which
// serves to test that they are refused.
func compress(c cdf.Compression, b []byte) ([]byte, error) {
	switch c {
	case cdf.None, cdf.Huffman, cdf.AdaptiveHuffman:
		return b, nil
	case cdf.RLE:
		return runs(b), nil
	case cdf.GZIP:
		var out bytes.Buffer
		z, err := gzip.NewWriterLevel(&out, gzipLevel)
		if err != nil {
			return nil, err
		}
		if _, err := z.Write(b); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		return out.Bytes(), nil
	}
	return nil, fmt.Errorf("%s is not known", c)
}

// runs replaces each run of up to 256 zeros by a zero and the length less one.
func runs(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		if b[0] != 0 {
			out, b = append(out, b[0]), b[1:]
			continue
		}
		n := 1
		for n < len(b) && n < 256 && b[n] == 0 {
			n++
		}
		out, b = append(out, 0, byte(n-1)), b[n:]
	}
	return out
}
