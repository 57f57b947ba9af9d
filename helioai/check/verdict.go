package check

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is the result of a check. The counts are over both lists.
type Verdict struct {
	Claims       []Line `json:"claims"`  // contradicted first, then unsourced, derived, given, matched
	Numbers      []Line `json:"numbers"` // of the prose, in its order, without what claims state
	Matched      int    `json:"matched"`
	Contradicted int    `json:"contradicted"`
	Derived      int    `json:"derived"`
	Unsourced    int    `json:"unsourced"`
	Given        int    `json:"given"`
}

// rank orders claims by how much they deserve to be read.
var rank = map[Status]int{Contradicted: 0, Unsourced: 1, Derived: 2, Given: 3, Matched: 4}

// settle orders the claims and counts.
func (v *Verdict) settle() {
	slices.SortStableFunc(v.Claims, func(a, b Line) int { return rank[a.Status] - rank[b.Status] })
	for _, lines := range [][]Line{v.Claims, v.Numbers} {
		for _, l := range lines {
			switch l.Status {
			case Matched:
				v.Matched++
			case Contradicted:
				v.Contradicted++
			case Derived:
				v.Derived++
			case Given:
				v.Given++
			default:
				v.Unsourced++
			}
		}
	}
}

// AllMatched reports whether something is matched and the rest only restates
// what was given.
func (v *Verdict) AllMatched() bool {
	return v.Matched > 0 && v.Contradicted+v.Derived+v.Unsourced == 0
}

// Summary says the verdict in one line: the counts, and what was contradicted.
func (v *Verdict) Summary() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{v.Matched, "matched"}, {v.Contradicted, "contradicted"}, {v.Unsourced, "unsourced"}, {v.Derived, "derived"}, {v.Given, "given"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "no numbers to check"
	}
	said := []string{strings.Join(parts, ", ")}
	for _, l := range slices.Concat(v.Claims, v.Numbers) {
		if l.Status == Contradicted {
			said = append(said, oneLine(l.Text)+" against "+oneLine(strings.TrimSpace(l.Entry+" "+l.Ledger+" "+l.LedgerUnits)))
		}
	}
	return strings.Join(said, "; ")
}

// oneLine makes a text from an answer fit for one line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:77], "") + "..."
	}
	return s
}
