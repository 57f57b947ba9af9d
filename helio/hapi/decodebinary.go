package hapi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

type binaryBody struct {
	d   *Decoder
	buf []byte // one record
}

// maxRecord is how long a binary record may be.
const maxRecord = 64 << 20

func newBinaryBody(d *Decoder) (*binaryBody, error) {
	size := 0
	for i := range d.info.Parameters {
		p := &d.info.Parameters[i]
		switch p.Type {
		case Double:
			size += 8 * p.Width()
		case Integer:
			size += 4 * p.Width()
		default:
			if p.Length == 0 {
				return nil, d.broken(fmt.Sprintf("the header does not say how long the texts of %q are, without which binary data cannot be read", p.Name), nil)
			}
			size += p.Length * p.Width()
		}
		if size > maxRecord {
			return nil, d.broken(fmt.Sprintf("the header says that a record has more than %d bytes", maxRecord), nil)
		}
	}
	return &binaryBody{d: d, buf: make([]byte, size)}, nil
}

func (b *binaryBody) record(dst *Records) error {
	d := b.d
	n, err := io.ReadFull(d.in, b.buf)
	if errors.Is(err, io.EOF) && n == 0 {
		return io.EOF
	}
	if err != nil {
		return d.cut(err)
	}
	time := d.info.Parameters[0].Length
	at, err := d.instant([]byte(word(b.buf[:time], &d.info.Parameters[0])))
	if err != nil {
		return err
	}
	rest := b.buf[time:]
	for i := range dst.Columns {
		p, c := &d.info.Parameters[i+1], &dst.Columns[i]
		for range p.Width() {
			switch p.Type {
			case Double:
				c.Float = append(c.Float, d.mask(math.Float64frombits(binary.LittleEndian.Uint64(rest)), i, p.Type))
				rest = rest[8:]
			case Integer:
				c.Float = append(c.Float, d.mask(float64(int32(binary.LittleEndian.Uint32(rest))), i, p.Type))
				rest = rest[4:]
			default:
				c.Text = append(c.Text, word(rest[:p.Length], p))
				rest = rest[p.Length:]
			}
		}
	}
	dst.Time = append(dst.Time, at)
	d.offset += int64(len(b.buf))
	return nil
}

// fillValue is the number that a fill value is written as; NaN where it is none.
func fillValue(text string) float64 {
	v, err := number([]byte(text))
	if err != nil {
		return math.NaN()
	}
	return v
}
