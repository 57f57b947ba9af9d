package hapi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/helios-go/helios/helio/tt"
)

// A piece is what the cache holds of one parameter in one cell: the times of the
// records and the values, little-endian, texts with their length before them.
const pieceMagic = "hapi1"

// shape is what the values of a piece depend on: a piece of another shape is
// useless.
func (p *Parameter) shape() string {
	return fmt.Sprintf("%s %v %v %q", p.Type, p.Size, p.HasFill, p.Fill)
}

// encodePiece writes the times and, unless it is nil, the column of a parameter.
func encodePiece(times []tt.Time, c *Column) []byte {
	size := len(pieceMagic) + 9 + 8*len(times)
	kind := byte('-')
	switch {
	case c == nil:
	case c.Text != nil:
		kind = 't'
		for _, s := range c.Text {
			size += 4 + len(s)
		}
	default:
		kind = 'f'
		size += 8 * len(c.Float)
	}
	b := append(make([]byte, 0, size), pieceMagic...)
	b = append(b, kind)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(times)))
	for _, t := range times {
		b = binary.LittleEndian.AppendUint64(b, uint64(t))
	}
	switch kind {
	case 'f':
		for _, v := range c.Float {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	case 't':
		for _, s := range c.Text {
			b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
			b = append(b, s...)
		}
	}
	return b
}

var errPiece = errors.New("the piece is not what was kept")

// decodePiece reads a piece of a parameter; that of the time axis itself has no
// column.
func decodePiece(b []byte, p *Parameter, axis bool) ([]tt.Time, Column, error) {
	head := len(pieceMagic) + 9
	if len(b) < head || string(b[:len(pieceMagic)]) != pieceMagic {
		return nil, Column{}, errPiece
	}
	kind, n := b[len(pieceMagic)], binary.LittleEndian.Uint64(b[len(pieceMagic)+1:])
	b = b[head:]
	if n > uint64(len(b)/8) {
		return nil, Column{}, errPiece
	}
	times := make([]tt.Time, n)
	for i := range times {
		times[i] = tt.Time(binary.LittleEndian.Uint64(b[8*i:]))
	}
	b = b[8*n:]
	if axis {
		return times, Column{}, ended(b, kind == '-')
	}
	values := int(n) * p.Width()
	if !p.Type.IsText() {
		if kind != 'f' || len(b) != 8*values {
			return nil, Column{}, errPiece
		}
		floats := make([]float64, values)
		for i := range floats {
			floats[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return times, Column{Float: floats}, nil
	}
	if kind != 't' || values > len(b)/4 {
		return nil, Column{}, errPiece
	}
	texts := make([]string, values)
	for i := range texts {
		if len(b) < 4 {
			return nil, Column{}, errPiece
		}
		size := binary.LittleEndian.Uint32(b)
		if b = b[4:]; uint64(size) > uint64(len(b)) {
			return nil, Column{}, errPiece
		}
		texts[i], b = string(b[:size]), b[size:]
	}
	return times, Column{Text: texts}, ended(b, true)
}

func ended(rest []byte, right bool) error {
	if len(rest) > 0 || !right {
		return errPiece
	}
	return nil
}
