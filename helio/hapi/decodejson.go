package hapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/helios-go/helios/helio/tt"
)

// jsonBody reads the records of an array: the whole text, or the member data of an
// object whose other members are the header.
type jsonBody struct {
	d       *Decoder
	object  bool
	begun   bool
	first   bool // no record was read so far
	members []byte
	at      int64 // where the object begins in the stream
}

func (b *jsonBody) read(times []tt.Time) (n int, err error) {
	if !b.begun {
		if err := b.begin(); err != nil {
			return 0, err
		}
		b.begun, b.first = true, true
	}
	s := &b.d.src
	for n < len(times) {
		if !s.blank() {
			return n, b.d.cut(n)
		}
		switch c := s.buf[s.at]; {
		case c == ']':
			s.at++
			return n, b.end(n)
		case b.first:
		case c == ',':
			s.at++
			if !s.blank() {
				return n, b.d.cut(n)
			}
		default:
			return n, b.d.wrong(n, s.at, "neither a comma nor the end of the data follows the record before it", nil)
		}
		b.first = false
		if err := b.record(times, n); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// record reads a record that begins where the window does. Most lie in it as a whole;
// of the others the end is looked for first.
func (b *jsonBody) record(times []tt.Time, n int) error {
	s := &b.d.src
	r := jsonRecord{d: b.d, n: n, buf: s.buf, i: s.at, end: s.end}
	err := r.read(&times[n])
	if errors.Is(err, errShort) {
		if s.value() < 0 {
			return b.d.cut(n)
		}
		r = jsonRecord{d: b.d, n: n, buf: s.buf, i: s.at, end: s.end}
		if err = r.read(&times[n]); errors.Is(err, errShort) {
			err = b.d.wrong(n, r.i, "it is no record", nil)
		}
	}
	if err == nil {
		s.at = r.i
	}
	return err
}

// begin goes to the first record.
func (b *jsonBody) begin() error {
	s := &b.d.src
	if !s.blank() {
		return b.d.ended(0) // nothing at all, or an empty line: no data
	}
	b.at = s.offset(s.at)
	switch s.buf[s.at] {
	case '[':
		s.at++
		return nil
	case '{':
		s.at++
		b.object = true
		return b.header(0, true)
	}
	return b.d.broken("it is neither an object nor an array", nil)
}

// header reads the members of the object up to data, or those behind it to the end.
func (b *jsonBody) header(n int, before bool) error {
	s := &b.d.src
	for first := before; ; first = false {
		if !s.blank() {
			return b.d.cut(n)
		}
		if s.buf[s.at] == '}' {
			s.at++
			break
		}
		if !first {
			if s.buf[s.at] != ',' {
				return b.d.wrong(n, s.at, "a comma is missing between two members of the object", nil)
			}
			s.at++
		}
		name, err := b.name(n)
		if err != nil {
			return err
		}
		if name == "data" {
			if !before {
				return b.d.wrong(n, s.at, "it has data twice", nil)
			}
			if s.buf[s.at] != '[' {
				return b.d.wrong(n, s.at, "its data are no array", nil)
			}
			s.at++
			return b.take()
		}
		if err := b.member(n, name); err != nil {
			return err
		}
	}
	if err := b.take(); err != nil {
		return err
	}
	if !before {
		return nil
	}
	if err := b.onlyBlanks(n); err != nil {
		return err
	}
	return io.EOF // an object without data has none
}

// name reads the name of a member and goes to its value.
func (b *jsonBody) name(n int) (string, error) {
	s := &b.d.src
	if !s.blank() {
		return "", b.d.cut(n)
	}
	if s.buf[s.at] != '"' {
		return "", b.d.wrong(n, s.at, "a member of the object has no name", nil)
	}
	size := s.value()
	if size < 0 {
		return "", b.d.cut(n)
	}
	name, ok := unquote(s.buf[s.at : s.at+size])
	if !ok {
		return "", b.d.wrong(n, s.at, "the name of a member is no text", nil)
	}
	s.at += size
	if !s.blank() {
		return "", b.d.cut(n)
	}
	if s.buf[s.at] != ':' {
		return "", b.d.wrong(n, s.at, "no colon follows the name of a member", nil)
	}
	s.at++
	if !s.blank() {
		return "", b.d.cut(n)
	}
	return string(name), nil
}

// member keeps one of the header.
func (b *jsonBody) member(n int, name string) error {
	s := &b.d.src
	size := s.value()
	if size < 0 {
		return b.d.cut(n)
	}
	value := s.buf[s.at : s.at+size]
	if size == 0 || value[0] == ',' {
		return b.d.wrong(n, s.at, "a member of the object has no value", nil)
	}
	if len(b.members)+size > maxRecord {
		return b.d.wrong(n, s.at, errLong.Error(), errLong)
	}
	key, err := json.Marshal(name)
	if err != nil {
		return b.d.wrong(n, s.at, err.Error(), err)
	}
	b.members = append(append(append(append(b.members, ','), key...), ':'), value...)
	s.at += size
	return nil
}

// take makes a header of the members that were read. Of those behind the data only the
// status counts where there was a header before them.
func (b *jsonBody) take() error {
	if len(b.members) == 0 {
		return nil
	}
	b.members[0] = '{'
	b.members = append(b.members, '}')
	text := b.members
	b.members = nil
	before := b.d.header
	if err := b.d.setHeader(text, b.at); err != nil || before == nil {
		return err
	}
	both := *before
	if b.d.header.Status.Code != 0 {
		both.Status = b.d.header.Status
	}
	b.d.header = &both
	return nil
}

// end reads what follows the last record.
func (b *jsonBody) end(n int) error {
	if b.object {
		if err := b.header(n, false); err != nil {
			return err
		}
	}
	if err := b.onlyBlanks(n); err != nil {
		return err
	}
	return io.EOF
}

func (b *jsonBody) onlyBlanks(n int) error {
	if b.d.src.blank() {
		return b.d.wrong(n, b.d.src.at, "something follows the end of the data", nil)
	}
	if err := b.d.ended(n); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// unquote is the text of a JSON string, quotes and all; ok is false for what is none.
func unquote(quoted []byte) (text []byte, ok bool) {
	if len(quoted) < 2 || quoted[len(quoted)-1] != '"' {
		return nil, false
	}
	inner := quoted[1 : len(quoted)-1]
	plain := true
	for _, c := range inner {
		if c < ' ' {
			return nil, false
		}
		plain = plain && c != '\\'
	}
	if plain {
		return inner, true
	}
	var s string
	if json.Unmarshal(bytes.ToValidUTF8(quoted, []byte("\ufffd")), &s) != nil {
		return nil, false
	}
	return []byte(s), true
}
