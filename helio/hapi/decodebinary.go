package hapi

import (
	"fmt"

	"github.com/helios-go/helios/helio/tt"
)

// binaryBody reads records of one size.
type binaryBody struct {
	d       *Decoder
	size    int // of a record
	time    int // of the time, which it begins with
	lengths []int
	fours   []bool // whether a column and the three behind it are single doubles
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
	b.fours = make([]bool, len(d.columns))
	run := 0
	for i := len(d.columns) - 1; i >= 0; i-- {
		if run++; d.columns[i].p.Type != Double || d.columns[i].width != 1 {
			run = 0
		}
		b.fours[i] = run >= 4
	}
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
		k, err := b.d.clock.Column(times[n:n+k], s.buf[s.at:s.end], b.time, b.size)
		b.values(n, k)
		n += k
		s.at += k * b.size
		if err != nil {
			return n, b.d.wrong(n, s.at, err.Error(), err)
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

// values reads those of k records from the nth on, column by column, or four at a time.
func (b *binaryBody) values(n, k int) {
	d := b.d
	at := d.src.at + b.time
	for i := 0; i < len(d.columns); {
		in, columns, filled := d.src.buf[at:d.src.end], d.columns[i:i+1], false
		c := &d.columns[i]
		switch {
		case b.fours[i]:
			columns = d.columns[i : i+4]
			filled = fourDoubles(columns[0].float[n:n+k], columns[1].float[n:n+k], columns[2].float[n:n+k], columns[3].float[n:n+k], in, b.size)
		case c.p.Type == Double:
			filled = doubles(c.float[n*c.width:(n+k)*c.width], c.width, in, b.size)
		case c.p.Type == Integer:
			integers(c.float[n*c.width:(n+k)*c.width], c.width, in, b.size)
		default:
			b.words(c, n, k, at, b.lengths[i])
		}
		for j := range columns {
			if filled {
				unfill(columns[j].float[n*columns[j].width : (n+k)*columns[j].width])
			}
			at += columns[j].width * b.lengths[i+j]
		}
		i += len(columns)
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
