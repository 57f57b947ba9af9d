package hapi

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/helios-go/helios/helio/internal/fastfloat"
	"github.com/helios-go/helios/helio/tt"
)

// errShort says that a record is not in the window as a whole.
var errShort = errors.New("the record goes on")

// maxNesting is how deep the arrays of a record may lie in one another: data have at
// most a handful of dimensions.
const maxNesting = 32

// A jsonRecord reads one record from buf[i:end]. Behind end is room whose content
// means nothing.
type jsonRecord struct {
	d      *Decoder
	n      int // among those that are being read
	buf    []byte
	i, end int
}

func (r *jsonRecord) read(to *tt.Time) error {
	if r.buf[r.i] != '[' {
		return r.wrong("it is no array")
	}
	r.i++
	if err := r.time(to); err != nil {
		return err
	}
	for k := range r.d.columns {
		c := &r.d.columns[k]
		if err := r.comma(c); err != nil {
			return err
		}
		if err := r.values(c); err != nil {
			return err
		}
	}
	c, err := r.next()
	if err == nil && c != ']' {
		return r.wrong(fmt.Sprintf("it has more than the %d parameters of the header", len(r.d.columns)+1))
	}
	r.i++
	return err
}

func (r *jsonRecord) wrong(reason string) error { return r.d.wrong(r.n, r.i, reason, nil) }

// next skips white space.
func (r *jsonRecord) next() (byte, error) {
	for ; r.i < r.end; r.i++ {
		switch c := r.buf[r.i]; c {
		case ' ', '\n', '\r', '\t':
		default:
			return c, nil
		}
	}
	return 0, errShort
}

func (r *jsonRecord) comma(c *column) error {
	b, err := r.next()
	switch {
	case err != nil:
		return err
	case b == ']':
		return r.wrong(fmt.Sprintf("it has too few values: one of %q is missing", c.p.Name))
	case b != ',':
		return r.wrong("a comma is missing between two values")
	}
	r.i++
	_, err = r.next()
	return err
}

func (r *jsonRecord) time(to *tt.Time) error {
	c, err := r.next()
	if err != nil {
		return err
	}
	at := r.i
	if c != '"' {
		return r.wrong("its time is no text")
	}
	text, err := r.text()
	if err != nil {
		return err
	}
	if *to, err = r.d.clock.Parse(text); err != nil {
		return r.d.wrong(r.n, at, err.Error(), err)
	}
	return nil
}

// values reads those of a parameter: one, or arrays of them as the header says, or as
// many in one row, or, as the reference server has matrices, spread over the record.
func (r *jsonRecord) values(c *column) error {
	if r.buf[r.i] != '[' {
		for k := range c.width {
			if k > 0 {
				if err := r.comma(c); err != nil {
					return err
				}
			}
			if err := r.value(c, k); err != nil {
				return err
			}
		}
		return nil
	}
	k, depth := 0, 0
	for {
		b, err := r.next()
		switch {
		case err != nil:
			return err
		case b == '[':
			if depth++; depth > maxNesting {
				return r.wrong(fmt.Sprintf("the values of %q are nested too deep", c.p.Name))
			}
			r.i++
			continue
		case k == c.width:
			return r.wrong(fmt.Sprintf("%q has more than the %d values of the header", c.p.Name, c.width))
		}
		if err := r.value(c, k); err != nil {
			return err
		}
		k++
		if depth, err = r.closed(depth); err != nil {
			return err
		}
		if depth == 0 {
			break
		}
	}
	if k != c.width {
		return r.wrong(fmt.Sprintf("%q has %d values, and by the header %d", c.p.Name, k, c.width))
	}
	return nil
}

// closed reads the brackets behind a value, and the comma before the next unless the
// outermost was closed.
func (r *jsonRecord) closed(depth int) (int, error) {
	for {
		b, err := r.next()
		if err != nil {
			return 0, err
		}
		switch b {
		case ']':
			r.i++
			if depth--; depth == 0 {
				return 0, nil
			}
		case ',':
			r.i++
			_, err := r.next()
			return depth, err
		default:
			return 0, r.wrong("a comma is missing between two values")
		}
	}
}

// value reads the one that stands here into place k of the parameter.
func (r *jsonRecord) value(c *column, k int) error {
	k += r.n * c.width
	if c.text {
		return r.word(c, k)
	}
	v, used := fastfloat.Prefix(r.buf[r.i:])
	if at := r.i + used; at >= r.end {
		return errShort
	} else if used > 0 && ends(r.buf[at]) {
		c.float[k], r.i = unfilled(v), at
		return nil
	}
	at := r.i
	text, err := r.scalar()
	if err != nil {
		return err
	}
	if c.float[k], err = number(text); err != nil {
		return r.d.notNumber(r.n, at, text, c.p)
	}
	return nil
}

func (r *jsonRecord) word(c *column, k int) error {
	text, err := r.scalar()
	if err != nil {
		return err
	}
	r.d.put(c, k, text)
	return nil
}

// ends reports whether a byte can follow a number.
func ends(c byte) bool {
	switch c {
	case ',', ']', ' ', '\n', '\r', '\t':
		return true
	}
	return false
}

// scalar is the text of a value: that of a string, nothing for null, and others as they
// are written.
func (r *jsonRecord) scalar() ([]byte, error) {
	if r.buf[r.i] == '"' {
		return r.text()
	}
	for at := r.i; ; r.i++ {
		if r.i >= r.end {
			return nil, errShort
		}
		switch c := r.buf[r.i]; {
		case c == '[' || c == '{' || c == '"' || c == '}' || c == ':':
			return nil, r.wrong("a value is missing, or is no number and no text")
		case !ends(c):
			continue
		}
		text := r.buf[at:r.i]
		if len(text) == 0 {
			return nil, r.wrong("a value is missing")
		}
		if string(text) == "null" {
			return nil, nil
		}
		return text, nil
	}
}

// text is what stands here between quotes.
func (r *jsonRecord) text() ([]byte, error) {
	for i := r.i + 1; ; {
		n := bytes.IndexByte(r.buf[i:r.end], '"')
		if n < 0 {
			return nil, errShort
		}
		i += n + 1
		if escaped(r.buf[r.i+1 : i-1]) {
			continue
		}
		text, ok := unquote(r.buf[r.i:i])
		if !ok {
			return nil, r.wrong("it has a text that is none in JSON")
		}
		r.i = i
		return text, nil
	}
}

// escaped reports whether an odd number of backslashes stands at the end of a text.
func escaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
