package hapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

type jsonBody struct {
	d      *Decoder
	dec    *json.Decoder
	rest   map[string]json.RawMessage // of an object: what is not data
	object bool
	begun  bool
}

func newJSONBody(d *Decoder) *jsonBody {
	return &jsonBody{d: d, dec: json.NewDecoder(d.in)}
}

func (b *jsonBody) record(dst *Records) error {
	if !b.begun {
		if err := b.begin(); err != nil {
			return err
		}
		b.begun = true
	}
	d := b.d
	d.offset = b.dec.InputOffset()
	if !b.dec.More() {
		return b.end()
	}
	var fields []loose
	if err := b.dec.Decode(&fields); err != nil {
		return b.bad(err)
	}
	n := dst.Len()
	if err := b.parse(dst, fields); err != nil {
		undo(dst, n, d.info)
		return err
	}
	return nil
}

func (b *jsonBody) bad(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return b.d.cut(err)
	}
	return b.d.broken(err.Error(), err)
}

// begin goes to the first record.
func (b *jsonBody) begin() error {
	tok, err := b.dec.Token()
	if errors.Is(err, io.EOF) {
		return io.EOF // nothing at all, or an empty line: no data
	}
	if err != nil {
		return b.bad(err)
	}
	switch tok {
	case json.Delim('['):
		return nil
	case json.Delim('{'):
		b.object, b.rest = true, map[string]json.RawMessage{}
		return b.members(true)
	}
	return b.d.broken("it is neither an object nor an array", nil)
}

// members reads the members of the object up to data, or after it to the end.
func (b *jsonBody) members(before bool) error {
	for b.dec.More() {
		key, err := b.dec.Token()
		if err != nil {
			return b.bad(err)
		}
		name, _ := key.(string)
		if name == "data" {
			if !before {
				return b.d.broken("it has data twice", nil)
			}
			tok, err := b.dec.Token()
			if err != nil {
				return b.bad(err)
			}
			if tok != json.Delim('[') {
				return b.d.broken("its data are no array", nil)
			}
			return b.header()
		}
		var value json.RawMessage
		if err := b.dec.Decode(&value); err != nil {
			return b.bad(err)
		}
		b.rest[name] = value
	}
	if _, err := b.dec.Token(); err != nil { // the closing brace
		return b.bad(err)
	}
	if !before {
		return b.header()
	}
	if err := b.header(); err != nil {
		return err
	}
	if err := b.onlyBlanks(); err != nil {
		return err
	}
	return io.EOF // an object without data has none
}

func (b *jsonBody) header() error {
	if len(b.rest) == 0 || b.d.header != nil {
		return nil
	}
	text, err := json.Marshal(b.rest)
	if err != nil {
		return b.d.broken(err.Error(), err)
	}
	return b.d.setHeader(text)
}

// end reads what follows the last record.
func (b *jsonBody) end() error {
	if _, err := b.dec.Token(); err != nil {
		return b.bad(err)
	}
	if b.object {
		if err := b.members(false); err != nil {
			return err
		}
	}
	if err := b.onlyBlanks(); err != nil {
		return err
	}
	return io.EOF
}

func (b *jsonBody) onlyBlanks() error {
	if _, err := b.dec.Token(); !errors.Is(err, io.EOF) {
		return b.d.broken("something follows the end of the data", err)
	}
	return nil
}

func (b *jsonBody) parse(dst *Records, fields []loose) error {
	d := b.d
	if len(fields) != len(d.info.Parameters) {
		fields = gathered(fields, d.info)
	}
	if len(fields) != len(d.info.Parameters) {
		return d.broken(fmt.Sprintf("it has %d parameters, and the header %d", len(fields), len(d.info.Parameters)), nil)
	}
	at, err := d.instant([]byte(fields[0].text()))
	if err != nil {
		return err
	}
	for i := range dst.Columns {
		p, c := &d.info.Parameters[i+1], &dst.Columns[i]
		values := []loose{fields[i+1]}
		if len(p.Size) > 0 {
			if values, err = flatten(nil, fields[i+1], len(p.Size)); err != nil {
				return d.broken(fmt.Sprintf("the values of %q: %v", p.Name, err), err)
			}
		}
		if len(values) != p.Width() {
			return d.broken(fmt.Sprintf("%q has %d values, and by the header %d", p.Name, len(values), p.Width()), nil)
		}
		for _, v := range values {
			if p.Type.IsText() {
				c.Text = append(c.Text, word([]byte(v.text()), p))
				continue
			}
			f := math.NaN()
			if !v.null() {
				if f, err = number([]byte(v.text())); err != nil || v[0] == '[' || v[0] == '{' {
					return d.broken(fmt.Sprintf("%.40q of %q is no number", []byte(v), p.Name), nil)
				}
			}
			c.Float = append(c.Float, d.mask(f, i, p.Type))
		}
	}
	dst.Time = append(dst.Time, at)
	return nil
}

// flatten unrolls nested arrays, the last index fastest.
func flatten(out []loose, v loose, depth int) ([]loose, error) {
	if depth == 0 || len(bytes.TrimSpace(v)) == 0 || v[0] != '[' {
		return append(out, v), nil
	}
	var list []loose
	if err := json.Unmarshal(v, &list); err != nil {
		return nil, err
	}
	var err error
	for _, one := range list {
		if out, err = flatten(out, one, depth-1); err != nil {
			return nil, err
		}
	}
	return out, nil
}
