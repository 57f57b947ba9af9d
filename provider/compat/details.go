package compat

import (
	"bytes"
	"encoding/json"

	"github.com/helios-go/helios/provider/internal/scan"
	"github.com/helios-go/helios/provider/internal/wire"
)

// details gathers OpenRouter's reasoning_details, which come in pieces like any
// text and go back as whole objects, unchanged otherwise.
type details struct{ list []detail }

// A detail is one object. Its texts grow; of the other members the first value
// that is not null counts, so that none is lost that nobody knows of yet.
type detail struct {
	kind, index string
	texts       map[string][]byte
	rest        []field
}

type field struct {
	name string
	raw  json.RawMessage
}

// grows are the members whose pieces are joined.
func grows(name string) bool { return name == "text" || name == "summary" }

// add reads a list of pieces.
func (d *details) add(s *scan.Scanner) {
	if !s.Enter('[') {
		s.Skip()
		return
	}
	for s.More(']') {
		if !s.Enter('{') {
			s.Skip()
			continue
		}
		piece := detail{texts: map[string][]byte{}}
		for s.More('}') {
			name := string(s.Key())
			if s.Bad() {
				return
			}
			switch {
			case grows(name) && s.Peek() == '"':
				piece.texts[name] = []byte(s.Text())
			case name == "type":
				piece.kind = s.Text()
			default:
				raw := bytes.Clone(s.Raw())
				if name == "index" {
					piece.index = string(raw)
				}
				piece.rest = append(piece.rest, field{name, raw})
			}
		}
		if s.Bad() {
			return
		}
		d.join(&piece)
	}
}

// join puts a piece behind the last object if it is more of it.
func (d *details) join(piece *detail) {
	if n := len(d.list); n > 0 && d.list[n-1].takes(piece) {
		last := &d.list[n-1]
		for name, text := range piece.texts {
			last.texts[name] = append(last.texts[name], text...)
		}
		for _, f := range piece.rest {
			last.set(f)
		}
		return
	}
	d.list = append(d.list, *piece)
}

// takes reports whether a piece is more of the object: of the same kind and place,
// without another id, and not a second encrypted text, which cannot be joined.
func (d *detail) takes(piece *detail) bool {
	if d.kind != piece.kind || d.index != piece.index {
		return false
	}
	a, b := d.member("id"), piece.member("id")
	return (a == "" || b == "" || a == b) && (d.member("data") == "" || piece.member("data") == "")
}

// member is a member as it is written, "" for none and for null.
func (d *detail) member(name string) string {
	for _, f := range d.rest {
		if f.name == name && string(f.raw) != "null" {
			return string(f.raw)
		}
	}
	return ""
}

// set keeps a member that was missing or null.
func (d *detail) set(f field) {
	for i := range d.rest {
		if d.rest[i].name == f.name {
			if string(d.rest[i].raw) == "null" {
				d.rest[i].raw = f.raw
			}
			return
		}
	}
	d.rest = append(d.rest, f)
}

// json is the list as it goes back, nil without any.
func (d *details) json() json.RawMessage {
	if len(d.list) == 0 {
		return nil
	}
	list := make([]map[string]any, len(d.list))
	for i := range d.list {
		object := map[string]any{"type": d.list[i].kind}
		for name, text := range d.list[i].texts {
			object[name] = string(text)
		}
		for _, f := range d.list[i].rest {
			object[f.name] = f.raw
		}
		list[i] = object
	}
	data, err := wire.Marshal(list)
	if err != nil {
		return nil
	}
	return data
}
