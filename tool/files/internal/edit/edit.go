// Package edit replaces pieces of a text, as somebody does who has seen the text
// and quotes from it.
//
//	out, spots, err := edit.Apply(text, []edit.Change{{Old: "colour", New: "color"}}, 1<<20)
//
// What is to be replaced must be there exactly once, byte for byte, unless all of
// it is meant. Only line ends are matched loosely: "\n" in a quotation also is the
// "\r\n" of the text, and what is put in its place gets the line ends that stood
// there. Several changes are made one after the other, all or none. An error says
// what is the matter and, where something in the text is close, where.
package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Change replaces Old, which must be there once, or as often as it is with All.
type Change struct {
	Old, New string
	All      bool
}

// A Span is a piece of the text that came out, from the first byte to the one
// after the last.
type Span struct{ Start, End int }

// An Error says why a change was not made.
type Error struct {
	Index, Of int // which of how many changes, from 0
	Reason    string
}

// Error tells which and why.
func (e *Error) Error() string {
	if e.Of == 1 {
		return e.Reason
	}
	return fmt.Sprintf("edit %d of %d: %s", e.Index+1, e.Of, e.Reason)
}

// maxPlaces is in how many places a text can be changed at once.
const maxPlaces = 1 << 16

// Apply makes the changes in a copy of the text, which must not become longer than
// limit, and tells where the pieces are
// that it put in, in order, as far as later changes have left them whole.
func Apply(text []byte, changes []Change, limit int) ([]byte, []Span, error) {
	if len(changes) == 0 {
		return nil, nil, errors.New("there is nothing to change")
	}
	var spans []Span
	for i, c := range changes {
		out, put, err := apply(text, c, limit)
		if err != nil {
			return nil, nil, &Error{Index: i, Of: len(changes), Reason: err.Error()}
		}
		spans = append(moved(spans, put), spansOf(put)...)
		text = out
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	return text, spans, nil
}

// A patch says that before[from:to] became after[at:at+n].
type patch struct{ from, to, at, n int }

func spansOf(put []patch) []Span {
	var spans []Span
	for _, p := range put {
		spans = append(spans, Span{p.at, p.at + p.n})
	}
	return spans
}

// moved returns where spans are after patches; those that a patch touches are
// left out.
func moved(spans []Span, put []patch) []Span {
	var kept []Span
next:
	for _, s := range spans {
		shift := 0
		for _, p := range put {
			switch {
			case p.to <= s.Start:
				shift = p.at + p.n - p.to
			case p.from < s.End:
				continue next
			}
		}
		kept = append(kept, Span{s.Start + shift, s.End + shift})
	}
	return kept
}

func apply(text []byte, c Change, limit int) ([]byte, []patch, error) {
	v := viewOf(text)
	old := toLF(c.Old)
	switch {
	case c.Old == "":
		return nil, nil, errors.New("the text to replace is empty; quote what stands there, with a line before or after where something is to be put in")
	case c.Old == c.New:
		return nil, nil, errors.New("the text to replace and its replacement are the same")
	case !v.crlf && old != c.Old:
		old = c.Old // the text has no such line ends, so the quotation is taken as it is
	}
	places := find(v.lf, old, c.All)
	switch {
	case len(places) == 0:
		return nil, nil, errors.New(notFound(v, old, c.New))
	case len(places) > maxPlaces:
		return nil, nil, fmt.Errorf("the text to replace is there more than %d times, and that is the most", maxPlaces)
	case len(places) > 1 && !c.All:
		return nil, nil, fmt.Errorf("the text to replace is there %d times, %s; quote more of the lines around the one that is meant, or replace all of them",
			len(places), onLines(v.lf, places))
	}
	var out []byte
	var put []patch
	done := 0
	for _, p := range places {
		from, to := v.raw(p), v.raw(p+len(old))
		out = append(out, text[done:from]...)
		with := v.like(text[from:to], c.New)
		put = append(put, patch{from, to, len(out), len(with)})
		out = append(out, with...)
		if done = to; len(out) > limit {
			break
		}
	}
	if len(out)+len(text)-done > limit {
		return nil, nil, fmt.Errorf("the text would become longer than %d bytes, and that is the most", limit)
	}
	out = append(out, text[done:]...)
	if bytes.Equal(out, text) {
		return nil, nil, errors.New("the replacement differs from what is there only in its line ends, which are kept as the file has them; there is nothing to change")
	}
	return out, put, nil
}

// find returns where old begins in the text: every place, also those that overlap,
// or with apart those that do not. It stops when there are too many.
func find(text []byte, old string, apart bool) []int {
	var places []int
	for at := 0; ; {
		k := bytes.Index(text[at:], []byte(old))
		if k < 0 || len(places) > maxPlaces {
			return places
		}
		places = append(places, at+k)
		if at += k + 1; apart {
			at += len(old) - 1
		}
	}
}

// A view is a text with "\n" for line ends.
type view struct {
	text []byte
	lf   []byte
	crlf bool  // the text has "\r\n", so that lf is another text
	only bool  // and no other line ends
	cuts []int // where in lf a "\n" is whose "\r" is left out
}

func viewOf(text []byte) view {
	v := view{text: text, lf: text}
	n := bytes.Count(text, []byte("\r\n"))
	if n == 0 {
		return v
	}
	v.crlf, v.only = true, n == bytes.Count(text, []byte("\n"))
	v.lf = make([]byte, 0, len(text)-n)
	v.cuts = make([]int, 0, n)
	for i, c := range text {
		if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			v.cuts = append(v.cuts, len(v.lf))
			continue
		}
		v.lf = append(v.lf, c)
	}
	return v
}

// raw is the place in the text of one in lf.
func (v *view) raw(at int) int {
	n, _ := slices.BinarySearch(v.cuts, at)
	return at + n
}

// like returns a replacement with the line ends of what it replaces; where that
// has none, with those of the text if they are all alike.
func (v *view) like(was []byte, with string) string {
	if !v.crlf {
		return with
	}
	cr, lf := bytes.Count(was, []byte("\r\n")), bytes.Count(was, []byte("\n"))
	switch {
	case cr > 0 && cr == lf, lf == 0 && v.only:
		return strings.ReplaceAll(toLF(with), "\n", "\r\n")
	case cr > 0:
		return v.mixed(was, with)
	}
	return with
}

// mixed gives the lines of a replacement, one after the other, the ends that the
// lines have that it replaces, and those beyond them the last.
func (v *view) mixed(was []byte, with string) string {
	var ends []string
	for i, c := range was {
		if c == '\n' {
			if i > 0 && was[i-1] == '\r' {
				ends = append(ends, "\r\n")
			} else {
				ends = append(ends, "\n")
			}
		}
	}
	var b strings.Builder
	for i, line := range strings.Split(toLF(with), "\n") {
		if i > 0 {
			b.WriteString(ends[min(i, len(ends))-1])
		}
		b.WriteString(line)
	}
	return b.String()
}

func toLF(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
