package secret

import "slices"

// A matcher finds many strings at once, after Sun Wu and Udi Manber (A fast
// algorithm for multi-pattern searching, 1994): it looks at the last two bytes
// of a window as long as the shortest string, and moves the window on by as much
// as those two bytes allow. They are the end of some string's beginning seldom,
// and only then are strings compared.
type matcher struct {
	window  int // length of the shortest string
	longest int
	shift   *[1 << 16]uint8      // by the last two bytes of the window; 0: compare
	ending  *map[uint16][]needle // a pointer for the reason given at entry
}

// A needle is a form of a secret.
type needle struct {
	text, name, token string
}

// newMatcher returns nil when there is nothing to find.
func newMatcher(entries []*entry) *matcher {
	var needles []needle
	seen := map[string]bool{} // a value with two names goes by the first
	for _, e := range entries {
		for _, form := range *e.forms {
			if !seen[form] {
				seen[form] = true
				needles = append(needles, needle{form, e.name, replacement(e.name)})
			}
		}
	}
	if len(needles) == 0 {
		return nil
	}
	ending := map[uint16][]needle{}
	m := &matcher{window: len(needles[0].text), shift: new([1 << 16]uint8), ending: &ending}
	for _, n := range needles {
		m.window = min(m.window, len(n.text))
		m.longest = max(m.longest, len(n.text))
	}
	m.window = min(m.window, 256) // a shift must fit a byte
	for i := range m.shift {
		m.shift[i] = uint8(m.window - 1)
	}
	for _, n := range needles {
		for i := 1; i < m.window; i++ {
			b := block(n.text[i-1], n.text[i])
			m.shift[b] = min(m.shift[b], uint8(m.window-1-i))
		}
		last := block(n.text[m.window-2], n.text[m.window-1])
		ending[last] = append(ending[last], n)
	}
	for _, candidates := range ending {
		slices.SortStableFunc(candidates, func(a, b needle) int { return len(b.text) - len(a.text) })
	}
	return m
}

func block(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// find returns the first place from which a needle stands in text, of those in
// [from, limit), and the longest needle there; nil when there is none.
func find[T ~string | ~[]byte](m *matcher, text T, from, limit int) (int, *needle) {
	end := min(len(text), limit+m.window-1)
	for i := from + m.window - 1; i < end; {
		b := block(text[i-1], text[i])
		if s := m.shift[b]; s != 0 {
			i += int(s)
			continue
		}
		start := i - m.window + 1
		candidates := (*m.ending)[b]
		for k := range candidates {
			n := &candidates[k]
			if stop := start + len(n.text); stop <= len(text) && string(text[start:stop]) == n.text {
				return start, n
			}
		}
		i++
	}
	return 0, nil
}

// redact appends what may be shown of text[:limit] to dst. A token that was
// written before stands for the first covered bytes of text; the second result
// is how many bytes after the limit one stands for now.
func redact[T ~string | ~[]byte](m *matcher, dst []byte, text T, covered, limit int, counts *Counts) ([]byte, int) {
	next := covered // the first byte for which nothing stands in dst
	for from := 0; ; {
		start, n := find(m, text, from, limit)
		if n == nil {
			break
		}
		if start >= next {
			dst = append(dst, text[next:start]...)
			dst = append(dst, n.token...)
			*counts = counts.add(n.name, 1)
		}
		next = max(next, start+len(n.text))
		from = start + 1
	}
	if next < limit {
		dst = append(dst, text[next:limit]...)
		next = limit
	}
	return dst, next - limit
}
