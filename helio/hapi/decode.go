package hapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/internal/fastfloat"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// A Decoder reads the records of a stream of data, in memory that does not grow with
// its length. It is not for concurrent use.
//
// Records come as they stand in the stream, also where they go back in time: their
// order is for the caller to look at. Values that are fill come as NaN, or as "" where
// the parameter holds text: integers where they equal the fill value, doubles by the
// rule of [series.MaskFill]. An empty field, null and NaN are no values either. Texts
// come without the padding of binary data, NUL and blanks at the end, and what is not
// UTF-8 in them is replaced by U+FFFD.
type Decoder struct {
	src     source
	info    *Info
	format  Format
	header  *Info
	body    body
	columns []column
	block   int // records that are read together, at most
	room    int // how many of them there is room made for, which grows with the stream
	clock   tt.Sequence
	texts   texts

	records int64 // that were read
	err     error
}

// A body reads the records of one format.
type body interface {
	// read reads up to limit records into the columns, and says how many it has read
	// and why they are fewer: io.EOF where there are no more.
	read(times []tt.Time) (n int, err error)
}

// A column is where the values of a parameter go: into one of the two slices, which
// begin with those of the first record that is being read.
type column struct {
	p     *Parameter
	width int
	text  bool
	float []float64
	words []string
	fill  []float64 // of numbers: one, or none
	// bySize says that the size of a double tells whether it is fill: none is declared
	// that is not as large as all fill of its size. Such values are masked as they are
	// read ([unfilled]).
	bySize bool
	word   string // the fill value of texts
	last   string // the newest text
}

const (
	maxValues   = 4 << 20 // of one record
	blockValues = 1 << 14
	maxBlock    = 512
)

// NewDecoder reads data in the format f of the parameters of info, which is the
// header as the request selects ([Info.Select]). A header before the data is read
// and compared with it. The reader is read ahead of the records.
func NewDecoder(r io.Reader, info *Info, f Format) *Decoder {
	d := &Decoder{src: source{r: r}, info: info, format: f}
	if len(info.Parameters) == 0 {
		d.err = d.broken("the header of the request has no parameters", nil)
		return d
	}
	d.columns = make([]column, len(info.Parameters)-1)
	values := 1
	for i := range d.columns {
		c := &d.columns[i]
		c.p = &info.Parameters[i+1]
		c.width, c.text = c.p.Width(), c.p.Type.IsText()
		if values += c.width; values > maxValues {
			d.err = d.broken(fmt.Sprintf("the header says that a record has more than %d values", maxValues), nil)
			return d
		}
		switch {
		case !c.p.HasFill:
		case c.text:
			c.word = strings.TrimRight(c.p.Fill, " \x00")
		default:
			if v, err := written([]byte(c.p.Fill)); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
				c.fill = []float64{v}
			}
		}
		c.bySize = len(c.fill) == 0 || math.Abs(c.fill[0]) > 2e30
	}
	d.block = min(max(blockValues/values, 1), maxBlock)
	d.room = min(d.block, 8)
	return d
}

// Header returns the header that came before the data, nil when none has come so
// far. In JSON it may also come behind them.
func (d *Decoder) Header() *Info { return d.header }

// Read appends up to limit records to dst, whose Info it sets when there is none. It
// returns how many it has appended: with io.EOF at the end of the stream, with a
// [*StreamError] where it is cut off or wrong, and from then on always the same. A
// record is appended whole or not at all.
//
// A stream of csv or binary that ends between two records has ended well, as far as
// can be seen from here; whether it was meant to is for the transport to say. A stream
// without any data has no records, in all formats.
func (d *Decoder) Read(dst *Records, limit int) (n int, err error) {
	if d.err == nil && d.body == nil {
		d.err = d.begin()
	}
	if dst.Info == nil {
		dst.Info = d.info
	}
	if len(dst.Columns) == 0 {
		dst.Columns = make([]Column, len(d.columns))
	}
	if d.err == nil && len(dst.Columns) != len(d.columns) {
		return 0, fmt.Errorf("read %s: the records have %d columns, and the stream %d", d.format, len(dst.Columns), len(d.columns))
	}
	for d.err == nil && n < limit {
		size := min(limit-n, d.room)
		d.room = min(2*d.room, d.block)
		before := dst.Len()
		times := d.open(dst, size)
		got, err := d.body.read(times)
		d.close(dst, before, got)
		n += got
		d.records += int64(got)
		d.err = err
	}
	return n, d.err
}

// open makes room for some records.
func (d *Decoder) open(dst *Records, records int) []tt.Time {
	before := dst.Len()
	dst.Time = slices.Grow(dst.Time, records)
	for i := range d.columns {
		c, to := &d.columns[i], &dst.Columns[i]
		first, n := before*c.width, records*c.width
		if c.text {
			to.Text = slices.Grow(to.Text[:first], n)
			c.words = to.Text[first : first+n]
			continue
		}
		to.Float = slices.Grow(to.Float[:first], n)
		c.float = to.Float[first : first+n]
	}
	return dst.Time[before : before+records]
}

// close keeps those that were read.
func (d *Decoder) close(dst *Records, before, got int) {
	dst.Time = dst.Time[:before+got]
	for i := range d.columns {
		c, to := &d.columns[i], &dst.Columns[i]
		n := got * c.width
		if c.text {
			clear(c.words[n:])
			to.Text = to.Text[:before*c.width+n]
			continue
		}
		to.Float = to.Float[:before*c.width+n]
		c.mask(c.float[:n])
	}
}

// mask puts NaN in the place of fill.
func (c *column) mask(values []float64) {
	if c.p.Type == Double {
		if !c.bySize {
			series.MaskFill(values, 1, c.fill)
		}
		return
	}
	for _, fill := range c.fill {
		for i, v := range values {
			if v == fill {
				values[i] = math.NaN()
			}
		}
	}
}

// begin reads what stands before the first record.
func (d *Decoder) begin() error {
	switch d.format {
	case CSV:
		d.body = &csvBody{d: d}
		return d.commentHeader()
	case Binary:
		if err := d.commentHeader(); err != nil {
			return err
		}
		b, err := newBinaryBody(d)
		d.body = b
		return err
	case JSON:
		d.body = &jsonBody{d: d}
		return nil
	}
	return d.broken(fmt.Sprintf("%q is none of the formats csv, binary and json", d.format), nil)
}

// broken is an error at the place where reading stands, between two records.
func (d *Decoder) broken(reason string, err error) error {
	return d.wrong(0, d.src.at, reason, err)
}

// wrong is an error in the nth record of those that are being read, at a place of the
// buffer.
func (d *Decoder) wrong(n, at int, reason string, err error) error {
	return &StreamError{Format: d.format, Record: d.records + int64(n), Offset: d.src.offset(at), Reason: reason, Err: err}
}

// cut says why the stream does not go on inside the nth record of those that are being
// read.
func (d *Decoder) cut(n int) error { return d.cutIn("it", n) }

// cutIn is cut in something that has a name. The error never wraps io.EOF, which would
// look like a good end.
func (d *Decoder) cutIn(what string, n int) error {
	s := &d.src
	reason, err := "the stream ends inside "+what, s.err
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return d.wrong(n, s.end, reason+": "+err.Error(), err)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return d.wrong(n, s.end, reason, err)
}

// ended is io.EOF where the stream ends as it should, behind n whole records.
func (d *Decoder) ended(n int) error {
	if d.src.err == io.EOF { //nolint:errorlint // a reader says so itself; an error that wraps it is no end
		return io.EOF
	}
	return d.cut(n)
}

// number is what a text says: NaN where it says nothing, or something as large as fill.
func number(text []byte) (float64, error) {
	v, err := written(text)
	return unfilled(v), err
}

// written is the number that a text says.
func written(text []byte) (float64, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return math.NaN(), nil
	}
	v, err := fastfloat.Parse(text)
	if err != nil && len(text) <= 4 {
		switch strings.ToLower(string(text)) {
		case "-nan", "+nan", "null": // as C and others write it
			return math.NaN(), nil
		}
	}
	return v, err
}

// notNumber is the error for a value that should be one.
func (d *Decoder) notNumber(n, at int, text []byte, p *Parameter) error {
	return d.wrong(n, at, fmt.Sprintf("%.40q of %q is no number", text, p.Name), nil)
}
