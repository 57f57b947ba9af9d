package grep

import (
	"math"
	"math/bits"
	"regexp/syntax"
	"slices"
	"unicode"
)

// A set is a set of bytes, a seq a row of them: every text that it matches has a
// byte of each set, one after the other.
type (
	set [4]uint64
	seq []set
)

func (s *set) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *set) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

// only returns the byte of a set that holds one.
func (s *set) only() (byte, bool) {
	found, n := 0, 0
	for w, word := range s {
		if n += bits.OnesCount64(word); word != 0 {
			found = w*64 + bits.TrailingZeros64(word)
		}
	}
	return byte(found), n == 1
}

// freq is about how often a byte of the set turns up in text.
func (s *set) freq() float64 {
	f := 0.0
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			f += frequency[w*64+bits.TrailingZeros64(word)]
		}
	}
	return min(f, 1)
}

// frequency is the share of each byte in program text and prose, roughly: it
// only has to tell rare from common.
var frequency = func() (f [256]float64) {
	for b := range f {
		f[b] = 0.0001
	}
	for b := 0x80; b < 256; b++ {
		f[b] = 0.0005
	}
	for b := byte('A'); b <= 'Z'; b++ {
		f[b] = 0.003
	}
	for b := byte('0'); b <= '9'; b++ {
		f[b] = 0.004
	}
	for _, group := range []struct {
		share float64
		bytes string
	}{
		{0.15, " "},
		{0.08, "e"},
		{0.05, "tanirso"},
		{0.03, "lcdu\n\t"},
		{0.02, "pmfh"},
		{0.012, "gbyv.,()\""},
		{0.008, "_=:;-/kw*"},
		{0.004, "x{}[]'01"},
		{0.002, "zqj&<>+\r!"},
		{0.001, "|#@%?\\`$~^JXZQ"},
	} {
		for _, b := range []byte(group.bytes) {
			f[b] = group.share
		}
	}
	return f
}()

// Bounds of what is worked out about a pattern. A row is no longer than a word of
// the table that it is looked for with has bits.
const (
	maxSeqs = 24
	maxLen  = 32
)

// need is what is known about all texts that a part of a pattern matches. A list
// holds rows of which one fits; nil means that nothing is known.
type need struct {
	exact  []seq // the whole text is one of these
	prefix []seq // it begins with one of these
	suffix []seq // it ends with one of these
	inside []seq // it holds one of these
}

func exactly(all []seq) need {
	return need{exact: all, prefix: all, suffix: all, inside: better(nil, all)}
}

// reader works out needs. With ascii it may rely on a text in which all bytes
// are below 0x80.
type reader struct {
	ascii  bool
	looks  bool // there are conditions on what stands beside the text
	budget int
}

func (r *reader) need(re *syntax.Regexp) need {
	if r.budget--; r.budget < 0 {
		return need{}
	}
	switch re.Op {
	case syntax.OpEmptyMatch:
		return exactly([]seq{{}})
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		r.looks = true
		return exactly([]seq{{}})
	case syntax.OpLiteral:
		return r.literal(re)
	case syntax.OpCharClass:
		return r.class(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return r.class([]rune{0, '\n' - 1, '\n' + 1, 0x10FFFF})
	case syntax.OpCapture:
		return r.need(re.Sub[0])
	case syntax.OpConcat:
		n := exactly([]seq{{}})
		for _, sub := range re.Sub {
			n = join(n, r.need(sub))
		}
		return n
	case syntax.OpAlternate:
		n := r.need(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			n = either(n, r.need(sub))
		}
		return n
	case syntax.OpQuest:
		return either(r.need(re.Sub[0]), exactly([]seq{{}}))
	case syntax.OpPlus:
		n := r.need(re.Sub[0])
		n.exact = nil
		return n
	case syntax.OpRepeat:
		if re.Min > 0 {
			n := r.need(re.Sub[0])
			n.exact = nil
			return n
		}
	}
	return need{} // a star, or what matches nothing at all
}

func (r *reader) literal(re *syntax.Regexp) need {
	n := exactly([]seq{{}})
	var run seq // characters with one spelling in bytes, or several of one byte
	flush := func() {
		for len(run) > 0 {
			k := min(len(run), maxLen)
			n = join(n, exactly([]seq{run[:k:k]}))
			run = run[k:]
		}
	}
	for _, c := range re.Rune {
		rows := []seq{plain(string(c))}
		if re.Flags&syntax.FoldCase != 0 {
			rows = r.class(orbit(c)).exact
		}
		if len(rows) == 1 {
			run = append(run, rows[0]...)
			continue
		}
		flush()
		if rows == nil {
			n = join(n, need{})
		} else {
			n = join(n, exactly(rows))
		}
	}
	flush()
	return n
}

// orbit returns the class of the characters that are c but for upper and lower
// case.
func orbit(c rune) []rune {
	class := []rune{c, c}
	for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
		class = append(class, f, f)
	}
	return class
}

func plain(text string) seq {
	var q seq
	for _, b := range []byte(text) {
		var s set
		s.add(b)
		q = append(q, s)
	}
	return q
}

// class is one character of some ranges. All of them must be single bytes, or
// few, for anything to be known.
func (r *reader) class(ranges []rune) need {
	var s set
	var all []seq
	n := 0
	for i := 0; i+1 < len(ranges); i += 2 {
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			switch {
			case c == '\n':
			case c < 0x80:
				s.add(byte(c))
				n++
			case r.ascii:
				c = ranges[i+1]
			case len(all) == 4:
				return need{}
			default:
				all = append(all, plain(string(c)))
			}
		}
	}
	if n > 0 {
		all = append(all, seq{s})
	}
	if len(all) == 0 {
		return need{}
	}
	return exactly(all)
}

// join is what is known of one text followed by another.
func join(a, b need) need {
	var n need
	n.exact, _ = cross(a.exact, b.exact)
	n.prefix, n.suffix = a.prefix, b.suffix
	if a.exact != nil {
		n.prefix = a.exact
		if more, ok := cross(a.exact, b.prefix); ok {
			n.prefix = more
		}
	}
	if b.exact != nil {
		n.suffix = b.exact
		if more, ok := cross(a.suffix, b.exact); ok {
			n.suffix = more
		}
	}
	n.inside = better(a.inside, b.inside)
	if middle, ok := cross(a.suffix, b.prefix); ok {
		n.inside = better(n.inside, middle)
	}
	return n
}

// cross appends each of b to each of a. It is no result when there would be too
// many or too long ones.
func cross(a, b []seq) ([]seq, bool) {
	if a == nil || b == nil || len(a)*len(b) > maxSeqs {
		return nil, false
	}
	all := make([]seq, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > maxLen {
				return nil, false
			}
			all = append(all, append(slices.Clip(x), y...))
		}
	}
	return all, true
}

// either is what is known of a text that is one or the other.
func either(a, b need) need {
	return need{
		exact:  union(a.exact, b.exact),
		prefix: union(a.prefix, b.prefix),
		suffix: union(a.suffix, b.suffix),
		inside: union(a.inside, b.inside),
	}
}

func union(a, b []seq) []seq {
	if a == nil || b == nil || len(a)+len(b) > maxSeqs {
		return nil
	}
	return append(slices.Clip(a), b...)
}

// better returns the list that is found faster and more rarely, and neither when
// that is no faster than to try each line.
func better(a, b []seq) []seq {
	costA, costB := costOf(a), costOf(b)
	switch {
	case costA > tooDear && costB > tooDear:
		return nil
	case costA < costB:
		return a
	}
	return b
}

// tooDear is a cost at which going through the lines one after the other is no
// slower.
const tooDear = 6

// costOf estimates how many nanoseconds a byte of text takes when some rows are
// looked for in it, with what their candidates cost: each about a microsecond.
func costOf(rows []seq) float64 {
	window, likely := overlay(rows)
	if len(window) == 0 {
		return math.Inf(1)
	}
	_, _, dear := rarest(window)
	return min(dear, hopCost(window)) + 1000*likely
}

// overlay lays rows over each other, as far as the shortest reaches. likely is
// about how often one of them turns up.
func overlay(rows []seq) (window seq, likely float64) {
	if len(rows) == 0 {
		return nil, 0
	}
	size := maxLen
	for _, q := range rows {
		size = min(size, len(q))
	}
	window = make(seq, size)
	for _, q := range rows {
		p := 1.0
		for i := range q {
			p *= q[i].freq()
			if i < size {
				for w := range q[i] {
					window[i][w] |= q[i][w]
				}
			}
		}
		likely += p
	}
	return window, likely
}

// rarest returns the place of a window where a single, rare byte stands, and what
// it costs to go from one such byte to the next; -1 when there is none.
func rarest(window seq) (at int, b byte, cost float64) {
	at, cost = -1, math.Inf(1)
	for i := range window {
		if c, ok := window[i].only(); ok && 0.04+7*frequency[c] < cost {
			at, b, cost = i, c, 0.04+7*frequency[c]
		}
	}
	return at, b, cost
}

// hopCost is what it costs to hop along by the last byte of a window.
func hopCost(window seq) float64 {
	last := len(window) - 1
	var seen set
	shift := 0.0
	for i := last; i >= 0; i-- {
		fresh := window[i]
		for w := range fresh {
			fresh[w] &^= seen[w]
			seen[w] |= window[i][w]
		}
		shift += fresh.freq() * float64(max(last-i, 1))
	}
	shift += (1 - seen.freq()) * float64(len(window))
	return 1.2/max(shift, 0.5) + 3*window[last].freq()
}
