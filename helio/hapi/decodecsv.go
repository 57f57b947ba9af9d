package hapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/helios-go/helios/helio/internal/fastfloat"
	"github.com/helios-go/helios/helio/tt"
)

// csvBody reads lines of fields, with or without quotes around them (RFC 4180). Blank
// lines are no records.
type csvBody struct {
	d    *Decoder
	size int    // of the newest time
	text []byte // of a quoted field
}

// errOpen says that a line ends inside a quoted field, which goes on in the next.
var errOpen = errors.New("a quoted field has no end")

func (b *csvBody) read(times []tt.Time) (n int, err error) {
	s := &b.d.src
	for n < len(times) {
		size := s.line(0)
		if size < 0 {
			return n, b.rest(n)
		}
		err := b.record(times, n, size)
		for tries := 0; errors.Is(err, errOpen); tries++ {
			if size = b.closing(size); size < 0 {
				return n, b.d.cut(n)
			}
			if tries == maxOpen {
				return n, b.d.wrong(n, s.at, "its quoted fields have no end", nil)
			}
			err = b.record(times, n, size)
		}
		switch {
		case err == nil:
			n++
		case !errors.Is(err, io.EOF): // that of a blank line
			return n, err
		}
		s.at += size + 1
	}
	return n, nil
}

// maxOpen is how often a record may be looked at again because a quoted field goes on
// in another line; more do so only where quotes stand in fields without quotes.
const maxOpen = 64

// closing is the size of the record to the end of the line in which a quoted field,
// open at the end of that of this size, may be closed: that has an odd number of
// quotes. It is below 0 where there is none.
func (b *csvBody) closing(size int) int {
	s := &b.d.src
	for quotes := 0; quotes%2 == 0; {
		from := size + 1
		if size = s.line(from); size < 0 {
			return size
		}
		quotes += bytes.Count(s.buf[s.at+from:s.at+size], []byte{'"'})
	}
	return size
}

// rest is what follows the last line feed: nothing, or the beginning of a record.
func (b *csvBody) rest(n int) error {
	if s := &b.d.src; s.at < s.end {
		return b.d.cut(n)
	}
	return b.d.ended(n)
}

// record reads the record in a line of that size. A place in the line is where the
// next field begins; one behind the end says that there is none.
func (b *csvBody) record(times []tt.Time, n, size int) error {
	d := b.d
	line := d.src.buf[d.src.at : d.src.end+slack]
	if size > 0 && line[size-1] == '\r' {
		size--
	}
	if size == 0 {
		return io.EOF
	}
	i, err := b.time(&times[n], n, line, size)
	if err != nil {
		return err
	}
	for k := range d.columns {
		c := &d.columns[k]
		if c.text {
			i, err = b.words(c, n, line, i, size)
		} else {
			i, err = b.numbers(c, n, line, i, size)
		}
		if err != nil {
			return err
		}
	}
	if i <= size {
		return d.wrong(n, d.src.at+i, "it has more fields than the header says", nil)
	}
	return nil
}

func (b *csvBody) time(to *tt.Time, n int, line []byte, size int) (next int, err error) {
	d := b.d
	if at := b.size; 0 < at && at < size && line[at] == ',' {
		if *to, err = d.clock.Parse(line[:at]); err == nil {
			return at + 1, nil
		}
	}
	field, next, err := b.field(line, 0, size)
	if err != nil {
		return 0, b.unquoted(n, 0, err)
	}
	if *to, err = d.clock.Parse(field); err != nil {
		return 0, d.wrong(n, d.src.at, err.Error(), err)
	}
	b.size = next - 1
	return next, nil
}

func (b *csvBody) numbers(c *column, n int, line []byte, i, size int) (int, error) {
	to := c.float[n*c.width : (n+1)*c.width]
	for k := range to {
		if i > size {
			return 0, b.missing(c, n, i)
		}
		v, used := fastfloat.Prefix(line[i:])
		if end := i + used; used > 0 && (line[end] == ',' || end == size) {
			to[k], i = unfilled(v), end+1
			continue
		}
		field, next, err := b.field(line, i, size)
		if err != nil {
			return 0, b.unquoted(n, i, err)
		}
		if to[k], err = number(field); err != nil {
			return 0, b.d.notNumber(n, b.d.src.at+i, field, c.p)
		}
		i = next
	}
	return i, nil
}

func (b *csvBody) words(c *column, n int, line []byte, i, size int) (int, error) {
	for k := range c.width {
		if i > size {
			return 0, b.missing(c, n, i)
		}
		field, next, err := b.field(line, i, size)
		if err != nil {
			return 0, b.unquoted(n, i, err)
		}
		b.d.put(c, n*c.width+k, field)
		i = next
	}
	return i, nil
}

func (b *csvBody) missing(c *column, n, i int) error {
	return b.d.wrong(n, b.d.src.at+i-1, fmt.Sprintf("it has too few fields: one of %q is missing", c.p.Name), nil)
}

// unquoted gives the error of a field its place.
func (b *csvBody) unquoted(n, i int, err error) error {
	if errors.Is(err, errOpen) {
		return err
	}
	return b.d.wrong(n, b.d.src.at+i, err.Error(), err)
}

var errBehindQuote = errors.New("something follows the end of a quoted field")

// field is the one at place i of a line, and the place of the next.
func (b *csvBody) field(line []byte, i, size int) (field []byte, next int, err error) {
	if i == size || line[i] != '"' {
		if n := bytes.IndexByte(line[i:size], ','); n >= 0 {
			return line[i : i+n], i + n + 1, nil
		}
		return line[i:size], size + 1, nil
	}
	b.text = b.text[:0]
	for i++; ; {
		n := bytes.IndexByte(line[i:size], '"')
		if n < 0 {
			return nil, 0, errOpen
		}
		b.text = append(b.text, line[i:i+n]...)
		switch i += n + 1; {
		case i == size || line[i] == ',':
			return b.text, i + 1, nil
		case line[i] != '"':
			return nil, 0, errBehindQuote
		}
		b.text = append(b.text, '"')
		i++
	}
}
