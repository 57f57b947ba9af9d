package hapi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// maxLine is how long a record, or a line of a header, may be in bytes.
const maxLine = 64 << 20

// A Decoder reads the records of a stream of data. It is not for concurrent use.
type Decoder struct {
	in     *bufio.Reader
	info   *Info
	format Format
	header *Info
	body   body
	fills  []float64 // of the parameters after the time; NaN where there is none

	offset  int64 // of what was read
	records int64
	err     error
}

// A body reads the records of one format.
type body interface {
	// record appends one record. io.EOF says that there is no more.
	record(dst *Records) error
}

// NewDecoder reads data in the format f of the parameters of info, which is the
// header as the request selects ([Info.Select]). A header before the data is read
// and compared with it. The reader is read ahead of the records.
func NewDecoder(r io.Reader, info *Info, f Format) *Decoder {
	d := &Decoder{in: bufio.NewReaderSize(r, 1<<16), info: info, format: f}
	if len(info.Parameters) == 0 {
		d.err = d.broken("the header of the request has no parameters", nil)
		return d
	}
	for _, p := range info.Parameters[1:] {
		fill := math.NaN()
		if p.HasFill && !p.Type.IsText() {
			fill = fillValue(p.Fill)
		}
		d.fills = append(d.fills, fill)
	}
	return d
}

// Header returns the header that came before the data, nil when none has come so
// far.
func (d *Decoder) Header() *Info { return d.header }

// Read appends up to max records to dst, whose Info it sets when there is none. It
// returns how many it has appended: with io.EOF at the end of the stream, with a
// [*StreamError] where it is cut off or wrong, and from then on always the same. A
// record is appended whole or not at all.
func (d *Decoder) Read(dst *Records, limit int) (n int, err error) {
	if d.err == nil && d.body == nil {
		d.err = d.begin()
	}
	if dst.Info == nil {
		dst.Info = d.info
	}
	if len(dst.Columns) == 0 {
		dst.Columns = make([]Column, len(d.info.Parameters)-1)
	}
	for ; d.err == nil && n < limit; n++ {
		if d.err = d.body.record(dst); d.err != nil {
			return n, d.err
		}
		d.records++
	}
	return n, d.err
}

// begin reads what stands before the first record.
func (d *Decoder) begin() error {
	switch d.format {
	case CSV:
		d.body = &csvBody{d: d}
	case Binary:
		b, err := newBinaryBody(d)
		if err != nil {
			return err
		}
		d.body = b
	case JSON:
		d.body = newJSONBody(d)
		return nil
	default:
		return d.broken(fmt.Sprintf("%q is none of the formats csv, binary and json", d.format), nil)
	}
	return d.commentHeader()
}

// commentHeader reads the lines before the data that begin with a number sign.
func (d *Decoder) commentHeader() error {
	var text []byte
	for {
		b, err := d.in.Peek(1)
		if err != nil || b[0] != '#' {
			break
		}
		line, err := d.line()
		if err != nil {
			return d.broken("the stream ends in its header", err)
		}
		text = append(append(text, line[1:]...), '\n')
		if len(text) > maxLine {
			return d.broken("the header is too long", nil)
		}
	}
	if len(text) == 0 {
		return nil
	}
	return d.setHeader(text)
}

// setHeader takes a header that came with the data.
func (d *Decoder) setHeader(text []byte) error {
	h, err := ParseInfo(text)
	if err != nil {
		return d.broken(err.Error(), err)
	}
	if len(h.Parameters) > 0 && !slices.Equal(h.Names(), d.info.Names()) {
		return d.broken(fmt.Sprintf("the data are of %s, and not of %s", strings.Join(h.Names(), ", "), strings.Join(d.info.Names(), ", ")), nil)
	}
	d.header = h
	return nil
}

// line returns the next line without its end. The last line of a stream has an end
// too: without one it is io.ErrUnexpectedEOF. io.EOF says that there is none.
func (d *Decoder) line() ([]byte, error) {
	line, err := d.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= maxLine {
			line, err = d.in.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	switch {
	case len(line) > maxLine:
		return nil, fmt.Errorf("a line of more than %d bytes", maxLine)
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	d.offset += int64(len(line))
	line = line[:len(line)-1]
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

func (d *Decoder) broken(reason string, err error) error {
	return &StreamError{Format: d.format, Record: d.records, Offset: d.offset, Reason: reason, Err: err}
}

// cut says that the stream ended inside a record; other errors of the reader are
// told as they are.
func (d *Decoder) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return d.broken("the stream ends inside it", io.ErrUnexpectedEOF)
	}
	return d.broken(err.Error(), err)
}

// mask is NaN for fill.
func (d *Decoder) mask(v float64, column int, t Type) float64 {
	fill := d.fills[column]
	if t == Integer && v == fill || t != Integer && series.IsFill(v, fill) {
		return math.NaN()
	}
	return v
}

// instant reads the time of a record.
func (d *Decoder) instant(text []byte) (tt.Time, error) {
	at, err := tt.Parse(string(text))
	if err != nil {
		return tt.Fill, d.broken(err.Error(), err)
	}
	return at, nil
}

// word is a text without padding, "" for fill.
func word(text []byte, p *Parameter) string {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		text = text[:i]
	}
	s := strings.TrimRight(string(text), " ")
	if p.HasFill && s == p.Fill {
		return ""
	}
	return s
}
