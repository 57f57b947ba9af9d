package hapi

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/helios-go/helios/helio/tt"
)

// binaryBody reads records of one size.
type binaryBody struct {
	d       *Decoder
	size    int // of a record
	time    int // of the time, which it begins with
	lengths []int
}

func newBinaryBody(d *Decoder) (*binaryBody, error) {
	b := &binaryBody{d: d}
	for i := range d.info.Parameters {
		p := &d.info.Parameters[i]
		length := p.Length
		if d.header != nil && len(d.header.Parameters) > i && d.header.Parameters[i].Length > 0 {
			length = d.header.Parameters[i].Length // what comes with the data knows best
		}
		switch {
		case p.Type == Double:
			length = 8
		case p.Type == Integer:
			length = 4
		case length == 0:
			return nil, d.broken(fmt.Sprintf("the header does not say how long the texts of %q are, without which binary data cannot be read", p.Name), nil)
		}
		b.lengths = append(b.lengths, length)
		if b.size += length * p.Width(); b.size > maxRecord {
			return nil, d.broken(fmt.Sprintf("the header says that a record has more than %d bytes", maxRecord), errLong)
		}
	}
	b.time, b.lengths = b.lengths[0], b.lengths[1:]
	return b, nil
}

// together is how many records are turned into columns at a time.
const together = 256

func (b *binaryBody) read(times []tt.Time) (n int, err error) {
	s := &b.d.src
	for n < len(times) {
		have := (s.end - s.at) / b.size
		if have == 0 {
			if s.more() {
				continue
			}
			return n, b.rest(n)
		}
		k := min(have, len(times)-n, together)
		k, err := b.times(times, n, k)
		b.values(n, k)
		n += k
		s.at += k * b.size
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// rest is what follows the last record: nothing, a line feed where there are no data,
// or the beginning of another.
func (b *binaryBody) rest(n int) error {
	s := &b.d.src
	if b.d.records == 0 && n == 0 && !s.blank() || s.at == s.end {
		return b.d.ended(n)
	}
	return b.d.cut(n)
}

// times reads the times of k records from the nth on, up to one that has none.
func (b *binaryBody) times(times []tt.Time, n, k int) (int, error) {
	d := b.d
	for i := range k {
		at := d.src.at + i*b.size
		text := d.src.buf[at : at+b.time]
		for len(text) > 0 && text[len(text)-1] <= ' ' { // padding
			text = text[:len(text)-1]
		}
		t, err := d.clock.Parse(text)
		if err != nil {
			return i, d.wrong(n+i, at, err.Error(), err)
		}
		times[n+i] = t
	}
	return k, nil
}

// values reads those of k records from the nth on, column by column.
func (b *binaryBody) values(n, k int) {
	d := b.d
	at := d.src.at + b.time
	for i := range d.columns {
		c := &d.columns[i]
		switch {
		case c.text:
			b.words(c, n, k, at, b.lengths[i])
		case c.p.Type == Double:
			doubles(c.float[n*c.width:(n+k)*c.width], c.width, d.src.buf[at:], b.size)
		default:
			integers(c.float[n*c.width:(n+k)*c.width], c.width, d.src.buf[at:], b.size)
		}
		at += c.width * b.lengths[i]
	}
}

// doubles reads width numbers from the beginning of every size bytes of in.
func doubles(to []float64, width int, in []byte, size int) {
	if width == 1 {
		at := 0
		for i := range to {
			to[i] = math.Float64frombits(binary.LittleEndian.Uint64(in[at:]))
			at += size
		}
		return
	}
	for ; len(to) > 0; to = to[width:] {
		for i := range width {
			to[i] = math.Float64frombits(binary.LittleEndian.Uint64(in[8*i:]))
		}
		in = in[min(size, len(in)):]
	}
}

func integers(to []float64, width int, in []byte, size int) {
	for ; len(to) > 0; to = to[width:] {
		for i := range width {
			to[i] = float64(int32(binary.LittleEndian.Uint32(in[4*i:])))
		}
		in = in[min(size, len(in)):]
	}
}

func (b *binaryBody) words(c *column, n, k, at, length int) {
	for i := range k {
		for j := range c.width {
			from := at + i*b.size + j*length
			b.d.put(c, (n+i)*c.width+j, b.d.src.buf[from:from+length])
		}
	}
}
