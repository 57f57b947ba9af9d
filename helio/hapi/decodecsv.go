package hapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

type csvBody struct {
	d     *Decoder
	field []byte // of a quoted field
}

func (b *csvBody) record(dst *Records) error {
	d := b.d
	begin := d.offset
	line, err := d.line()
	for err == nil && d.records == 0 && len(line) == 0 {
		line, err = d.line() // some servers answer an empty line when there is nothing
	}
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	end := d.offset
	d.offset = begin
	if err != nil {
		return d.cut(err)
	}
	n := dst.Len()
	if err := b.parse(dst, line); err != nil {
		undo(dst, n, d.info)
		return err
	}
	d.offset = end
	return nil
}

// undo takes back what was appended of a record that failed.
func undo(dst *Records, n int, info *Info) {
	dst.Time = dst.Time[:n]
	for i := range dst.Columns {
		c, w := &dst.Columns[i], info.Parameters[i+1].Width()
		if len(c.Float) > n*w {
			c.Float = c.Float[:n*w]
		}
		if len(c.Text) > n*w {
			c.Text = c.Text[:n*w]
		}
	}
}

func (b *csvBody) parse(dst *Records, line []byte) error {
	d := b.d
	field, rest, more, err := b.next(line)
	if err != nil {
		return err
	}
	at, err := d.instant(field)
	if err != nil {
		return err
	}
	for i := range dst.Columns {
		p := &d.info.Parameters[i+1]
		c := &dst.Columns[i]
		for range p.Width() {
			if !more {
				return d.broken(fmt.Sprintf("it has too few fields: one of %q is missing", p.Name), nil)
			}
			if field, rest, more, err = b.next(rest); err != nil {
				return err
			}
			if p.Type.IsText() {
				c.Text = append(c.Text, word(field, p))
				continue
			}
			v, err := number(field)
			if err != nil {
				return d.broken(fmt.Sprintf("%.40q of %q is no number", field, p.Name), nil)
			}
			c.Float = append(c.Float, d.mask(v, i, p.Type))
		}
	}
	if more {
		return d.broken("it has more fields than the header says", nil)
	}
	dst.Time = append(dst.Time, at)
	return nil
}

func number(field []byte) (float64, error) {
	field = bytes.TrimSpace(field)
	if len(field) == 0 {
		return math.NaN(), nil
	}
	return strconv.ParseFloat(string(field), 64)
}

// next cuts the first field off a line. more says that another follows.
func (b *csvBody) next(line []byte) (field, rest []byte, more bool, err error) {
	if len(line) == 0 || line[0] != '"' {
		field, rest, more = bytes.Cut(line, []byte{','})
		return field, rest, more, nil
	}
	b.field = b.field[:0]
	for line = line[1:]; ; {
		i := bytes.IndexByte(line, '"')
		if i < 0 {
			return nil, nil, false, b.d.broken("a quoted field has no end", nil)
		}
		b.field = append(b.field, line[:i]...)
		line = line[i+1:]
		if len(line) == 0 {
			return b.field, nil, false, nil
		}
		switch line[0] {
		case '"':
			b.field = append(b.field, '"')
			line = line[1:]
		case ',':
			return b.field, line[1:], true, nil
		default:
			return nil, nil, false, b.d.broken("something follows the end of a quoted field", nil)
		}
	}
}
