package cdf

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
)

// Verify reads the whole file and compares it with the MD5 sum at its end. It is
// nil where the file carries none ([Info]); a difference is an error that wraps
// [ErrDamaged].
func (f *File) Verify() error {
	if !f.info.Checksum {
		return nil
	}
	sum := md5.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f.outer, 0, f.size-checksumSize)); err != nil {
		return fmt.Errorf("verify CDF: %w", err)
	}
	var want [checksumSize]byte
	if n, err := f.outer.ReadAt(want[:], f.size-checksumSize); n < len(want) {
		return fmt.Errorf("verify CDF: %w", err)
	}
	if got := sum.Sum(nil); !bytes.Equal(got, want[:]) {
		return fmt.Errorf("verify CDF: %w: its checksum is %x and should be %x", ErrDamaged, got, want)
	}
	return nil
}
