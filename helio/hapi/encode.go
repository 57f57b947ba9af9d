package hapi

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// An Encoder writes records in one of the formats, the counterpart of a [Decoder]. It
// is not for concurrent use.
//
// A missing number is written as the parameter's fill value, and NaN where there is
// none. Texts longer than their parameter's Length are an error, since nobody could
// read what follows in binary.
type Encoder struct {
	w        *bufio.Writer
	info     *Info
	format   Format
	decimals int // of a second, in the times
	fills    [][]byte
	values   []float64 // of the fills
	buf      []byte
	records  int64
	begun    bool
}

// NewEncoder writes the parameters of info, whose first is the time. Times get as
// many decimals as fit into its Length ("2023-01-02T03:04:05.123Z" has 24 bytes).
// With header, the header is written before the data; JSON always has it.
func NewEncoder(w io.Writer, info *Info, f Format, header bool) (*Encoder, error) {
	e := &Encoder{w: bufio.NewWriterSize(w, 1<<16), info: info, format: f}
	if len(info.Parameters) == 0 {
		return nil, fmt.Errorf("write %s: there are no parameters", f)
	}
	switch n := info.Parameters[0].Length; n {
	case len("2023-01-02T03:04:05Z"):
	case 24, 27, 30:
		e.decimals = n - len("2023-01-02T03:04:05Z") - 1
	default:
		return nil, fmt.Errorf("write %s: times of %d bytes are none; give 20, 24, 27 or 30", f, n)
	}
	for i := range info.Parameters[1:] {
		p := &info.Parameters[i+1]
		fill, text := math.NaN(), []byte("NaN")
		if f == JSON {
			text = []byte("null")
		}
		if v := fillValue(p.Fill); p.HasFill && !p.Type.IsText() && !math.IsNaN(v) {
			fill, text = v, []byte(strings.TrimSpace(p.Fill))
		}
		if p.Type == Integer && math.IsNaN(fill) {
			return nil, fmt.Errorf("write %s: the integers %q have no fill value for what is missing", f, p.Name)
		}
		e.fills, e.values = append(e.fills, text), append(e.values, fill)
	}
	switch f {
	case CSV, Binary:
		if header {
			return e, e.comment()
		}
		return e, nil
	case JSON:
		return e, e.open()
	}
	return nil, fmt.Errorf("write %q: it is none of the formats csv, binary and json", f)
}

// comment writes the header in front of csv or binary data.
func (e *Encoder) comment() error {
	text, err := e.header()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		_ = e.w.WriteByte('#') // the first error of a bufio.Writer comes back from Flush
		_, _ = e.w.Write(line)
	}
	return e.w.WriteByte('\n')
}

func (e *Encoder) header() ([]byte, error) {
	in := *e.info
	in.Format = e.format
	return json.Marshal(&in)
}

// open writes the header of JSON up to the data.
func (e *Encoder) open() error {
	text, err := e.header()
	if err != nil {
		return err
	}
	_, _ = e.w.Write(bytes.TrimSuffix(text, []byte("}")))
	_, err = e.w.WriteString(`,"data":[`)
	return err
}

// Write writes records, whose columns are those of the encoder's info.
func (e *Encoder) Write(r *Records) error {
	if len(r.Columns) != len(e.info.Parameters)-1 {
		return fmt.Errorf("write %s: %d columns came for %d parameters", e.format, len(r.Columns), len(e.info.Parameters)-1)
	}
	for i := range r.Columns {
		p, c := &e.info.Parameters[i+1], &r.Columns[i]
		n := len(c.Float)
		if p.Type.IsText() {
			n = len(c.Text)
		}
		if n != r.Len()*p.Width() {
			return fmt.Errorf("write %s: %d values of %q came for %d records of %d", e.format, n, p.Name, r.Len(), p.Width())
		}
	}
	for i := range r.Time {
		e.buf = e.buf[:0]
		var err error
		switch e.format {
		case CSV:
			err = e.csv(r, i)
		case Binary:
			err = e.binary(r, i)
		default:
			err = e.json(r, i)
		}
		if err != nil {
			return fmt.Errorf("write %s: record %d: %w", e.format, e.records, err)
		}
		if _, err := e.w.Write(e.buf); err != nil {
			return err
		}
		e.records++
	}
	return nil
}

// Flush writes what is buffered.
func (e *Encoder) Flush() error { return e.w.Flush() }

// Close ends the stream, without which JSON is cut off, and flushes. The writer
// below stays open.
func (e *Encoder) Close() error {
	if e.format == JSON {
		_, _ = e.w.WriteString("\n]}\n") // its error comes back from Flush
	}
	return e.w.Flush()
}

func (e *Encoder) time(t tt.Time) error {
	if t == tt.Fill {
		return errors.New("it has no time")
	}
	e.buf = t.AppendFormat(e.buf, e.decimals)
	return nil
}

func (e *Encoder) number(v float64, column int, t Type) {
	switch {
	case math.IsNaN(v), math.IsInf(v, 0) && e.format == JSON:
		e.buf = append(e.buf, e.fills[column]...)
	case t == Integer:
		e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	default:
		e.buf = strconv.AppendFloat(e.buf, v, 'g', -1, 64)
	}
}

func (e *Encoder) csv(r *Records, i int) error {
	if err := e.time(r.Time[i]); err != nil {
		return err
	}
	for c := range r.Columns {
		p := &e.info.Parameters[c+1]
		w := p.Width()
		for k := i * w; k < (i+1)*w; k++ {
			e.buf = append(e.buf, ',')
			if p.Type.IsText() {
				e.buf = appendQuoted(e.buf, e.text(r.Columns[c].Text[k], p))
				continue
			}
			e.number(r.Columns[c].Float[k], c, p.Type)
		}
	}
	e.buf = append(e.buf, '\n')
	return nil
}

// text is a text as it is written: the fill value for a missing one, on one line.
func (e *Encoder) text(s string, p *Parameter) string {
	if s == "" && p.HasFill {
		s = p.Fill
	}
	return strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ").Replace(s)
}

// appendQuoted is a csv field, in quotes where it needs them.
func appendQuoted(b []byte, s string) []byte {
	if !strings.ContainsAny(s, "\",") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

func (e *Encoder) binary(r *Records, i int) error {
	if err := e.time(r.Time[i]); err != nil {
		return err
	}
	for c := range r.Columns {
		p := &e.info.Parameters[c+1]
		w := p.Width()
		for k := i * w; k < (i+1)*w; k++ {
			if p.Type.IsText() {
				s := e.text(r.Columns[c].Text[k], p)
				if len(s) > p.Length {
					return fmt.Errorf("%.40q of %q is longer than the %d bytes of the header", s, p.Name, p.Length)
				}
				e.buf = append(e.buf, s...)
				e.buf = append(e.buf, make([]byte, p.Length-len(s))...)
				continue
			}
			v := r.Columns[c].Float[k]
			if math.IsNaN(v) {
				v = e.values[c]
			}
			if p.Type == Integer {
				e.buf = binary.LittleEndian.AppendUint32(e.buf, uint32(int32(v)))
				continue
			}
			e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(v))
		}
	}
	return nil
}

func (e *Encoder) json(r *Records, i int) error {
	if e.begun {
		e.buf = append(e.buf, ',')
	}
	e.begun = true
	e.buf = append(e.buf, "\n[\""...)
	if err := e.time(r.Time[i]); err != nil {
		return err
	}
	e.buf = append(e.buf, '"')
	for c := range r.Columns {
		p := &e.info.Parameters[c+1]
		e.buf = append(e.buf, ',')
		if err := e.nested(&r.Columns[c], c, p, p.Size, i*p.Width(), p.Width()); err != nil {
			return err
		}
	}
	e.buf = append(e.buf, ']')
	return nil
}

// nested writes w values from k on as arrays in arrays.
func (e *Encoder) nested(c *Column, column int, p *Parameter, size []int, k, w int) error {
	if len(size) == 0 {
		if !p.Type.IsText() {
			e.number(c.Float[k], column, p.Type)
			return nil
		}
		text, err := json.Marshal(e.text(c.Text[k], p))
		e.buf = append(e.buf, text...)
		return err
	}
	w /= size[0]
	for i := range size[0] {
		e.buf = append(e.buf, "[,"[min(i, 1)])
		if err := e.nested(c, column, p, size[1:], k+i*w, w); err != nil {
			return err
		}
	}
	e.buf = append(e.buf, ']')
	return nil
}

// fillValue is the number that a fill value is written as; NaN where it is none.
func fillValue(text string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
