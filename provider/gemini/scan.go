package gemini

import "github.com/helios-go/helios/provider/internal/scan"

// A delta is the kind of event that streams are made of: more of a text, of a
// thought, or of a call's arguments.
type delta struct {
	index int
	kind  deltaKind
	text  string
	more  bool // the event says more of the text
}

type deltaKind uint8

const (
	textDelta deltaKind = iota + 1
	thoughtDelta
	argsDelta
)

// A deltaScanner reads the usual forms of a delta without encoding/json, which takes
// several times as long and allocates more than the text.
type deltaScanner struct{ s scan.Scanner }

// scan is false for whatever is no delta of a usual form: encoding/json has the word.
func (r *deltaScanner) scan(data []byte) (d delta, ok bool) {
	s := &r.s
	s.Reset(data)
	if !s.Enter('{') {
		return d, false
	}
	ours, indexed := false, false
	for s.More('}') {
		switch string(s.Key()) {
		case "event_type":
			if ours = string(s.Str()) == "step.delta"; !ours {
				return d, false
			}
		case "index":
			n, whole := s.Int()
			d.index, indexed = int(n), whole
		case "delta":
			d.kind = 0
			if s.Peek() != '{' {
				return d, false
			}
			r.delta(&d)
		default:
			s.Skip()
		}
	}
	return d, s.End() && ours && indexed && d.kind != 0
}

// delta reads what is in a delta. It leaves no kind where the form is not a usual one.
func (r *deltaScanner) delta(d *delta) {
	s := &r.s
	s.Enter('{')
	var kind, held deltaKind
	fits := true
	d.more = false
	for s.More('}') {
		switch string(s.Key()) {
		case "type":
			kind = kindOf(s.Str())
		case "text":
			held, fits = textDelta, fits && held == 0 && r.keep(d)
		case "arguments":
			held, fits = argsDelta, fits && held == 0 && r.keep(d)
		case "content":
			held, fits = thoughtDelta, fits && held == 0 && r.summary(d)
		default:
			d.more = true
			s.Skip()
		}
	}
	if fits && held == kind {
		d.kind = kind
	}
}

func kindOf(name []byte) deltaKind {
	switch string(name) {
	case "text":
		return textDelta
	case "thought_summary":
		return thoughtDelta
	case "arguments_delta":
		return argsDelta
	}
	return 0
}

// keep keeps a string, and is false for any other value.
func (r *deltaScanner) keep(d *delta) bool {
	if r.s.Peek() != '"' {
		r.s.Skip()
		return false
	}
	d.text = r.s.Text()
	return true
}

// summary keeps the text of {"type":"text","text":"..."}.
func (r *deltaScanner) summary(d *delta) bool {
	s := &r.s
	if !s.Enter('{') {
		s.Skip()
		return false
	}
	typed, held := false, false
	for s.More('}') {
		switch string(s.Key()) {
		case "type":
			typed = string(s.Str()) == "text"
		case "text":
			held = r.keep(d)
		default:
			s.Skip()
		}
	}
	return typed && held
}
