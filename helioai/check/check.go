// Package check places the numbers and times of an answer against the ledger
// of what was really computed.
//
//	verdict := check.Answer(check.Input{
//		Question: "What was the mean field on 2023-01-02?",
//		Answer:   "The mean field magnitude was 3.67 nT.",
//		Claims:   []check.Claim{{Name: "magnitude_mean", Value: json.Number("3.67"), Units: "nT"}},
//		Entries:  session.Entries(),
//	})
//	fmt.Println(verdict.Summary()) // 1 matched
//
// Each claim that the author of the answer declared, and each number and time
// in its prose that no claim states, gets one line with one status:
//
//   - [Matched]: an entry of the ledger states it;
//   - [Contradicted]: the entry that it names, by name or by the words around
//     it, says something else;
//   - [Derived]: it follows from other numbers by arithmetic that is shown or
//     that could be repeated, or it is a ratio or percentage, which answers
//     work out themselves;
//   - [Given]: it restates the question, or a title or description of the data;
//   - [Unsourced]: nothing in the ledger says it. That is no accusation: it may
//     be known from elsewhere.
//
// # When two numbers agree
//
// Units are converted first (see helio/units). Two numbers agree within 0.5 %
// or within half a unit of the last decimal shown; numbers of opposite sign
// never. What was counted (ledger.Entry.Integer) must be stated exactly. A time
// agrees when the recorded instant lies in what is named ("03:41" names a
// minute, "2024-09-12T14" an hour) or is nearer to it than the cadence of the
// data.
//
// A claim that names an entry is decided by entries of that name alone; a near
// value elsewhere does not save it. A check describes, it never blocks: every
// text and every claim gives a verdict, without error and without panic.
//
// All functions are pure and safe for concurrent use.
package check

import (
	"slices"
	"strings"

	"github.com/helios-go/helios/helioai/ledger"
)

// Status is what became of one claim, number or time.
type Status string

// The statuses; the package comment says what they mean.
const (
	Matched      Status = "matched"
	Contradicted Status = "contradicted"
	Derived      Status = "derived"
	Unsourced    Status = "unsourced"
	Given        Status = "given"
)

// Input is what there is to compare.
type Input struct {
	// Question is every text whose numbers the answer may repeat without a
	// source, joined by newlines: what the user asked, and the titles and
	// descriptions of the data.
	Question string
	// Answer is the prose, Markdown included.
	Answer string
	// Claims are the numbers and times that the answer's author declared.
	Claims []Claim
	// Entries is the ledger, oldest first.
	Entries []ledger.Entry
}

// Line is the verdict on one claim, number or time. Texts that do not apply are
// empty.
type Line struct {
	Text        string `json:"text"`             // as it stands in the answer or the claim
	Name        string `json:"name,omitempty"`   // of the claim
	Value       string `json:"value"`            // the number or the time as written
	Units       string `json:"units,omitempty"`  // as written
	Status      Status `json:"status"`           //
	Entry       string `json:"entry,omitempty"`  // the ledger entry that decided
	Code        string `json:"code,omitempty"`   // the script that computed it
	Note        string `json:"note,omitempty"`   // why, where the status alone does not say
	Ledger      string `json:"ledger,omitempty"` // what the entry says
	LedgerUnits string `json:"ledger_units,omitempty"`
}

// Bounds on what is looked at; what is beyond gets one line for all of it.
const (
	maxTokens = 2000     // numbers and times of an answer
	maxText   = 64 << 10 // bytes of an answer or a question
)

// Answer checks an answer. It returns a verdict for every input, the zero Input
// included.
func Answer(in Input) *Verdict {
	c := newChecker(in)
	v := &Verdict{Claims: []Line{}, Numbers: []Line{}}
	judged := make([]judgement, len(in.Claims))
	for i, claim := range in.Claims {
		judged[i] = c.claim(claim)
		v.Claims = append(v.Claims, judged[i].line)
	}
	for i, t := range c.tokens {
		if !c.consumed(i, t, judged) {
			v.Numbers = append(v.Numbers, c.number(i, t))
		}
	}
	if c.more {
		v.Numbers = append(v.Numbers, Line{Text: "...", Status: Unsourced, Note: "the answer is longer than what was looked at"})
	}
	v.settle()
	return v
}

// checker holds what the judgements of one answer share.
type checker struct {
	text    string
	more    bool // the answer goes on after text, or has more tokens
	tokens  []token
	asked   []token             // of the question
	entries []known             // newest first
	names   map[string][]*known // the newest entry of each name and unit, by a word of the name
	related map[pair]sight      // how groups of entries stand to units
	windows []ledger.Input      // the distinct windows of the data
}

func newChecker(in Input) *checker {
	c := &checker{related: map[pair]sight{}}
	c.text, c.more = clip(in.Answer)
	c.tokens = scan(c.text)
	if len(c.tokens) > maxTokens {
		c.tokens, c.more = c.tokens[:maxTokens], true
	}
	c.ask(in.Question)
	c.entries = make([]known, 0, len(in.Entries))
	groups := map[group]int{}
	var named []*known
	seen, seenWindow := map[string]bool{}, map[ledger.Input]bool{}
	for _, e := range slices.Backward(in.Entries) {
		c.entries = append(c.entries, know(e, groups))
		k := &c.entries[len(c.entries)-1]
		if key := e.Name + "\x00" + e.Units + "\x00" + string(e.Kind); !seen[key] {
			seen[key] = true
			named = append(named, k)
		}
		for _, input := range e.Origin.Inputs {
			if key := (ledger.Input{Start: input.Start, Stop: input.Stop}); input.HasWindow() && !seenWindow[key] {
				seenWindow[key] = true
				c.windows = append(c.windows, input)
			}
		}
	}
	c.index(named)
	c.readCommas()
	return c
}

// clip bounds a text and makes it valid UTF-8.
func clip(s string) (text string, cut bool) {
	if cut = len(s) > maxText; cut {
		s = s[:maxText]
	}
	return strings.ToValidUTF8(s, "\ufffd"), cut
}

// ask reads the question. A bare year in it, "the storm of 2015", is a time.
func (c *checker) ask(question string) {
	text, _ := clip(question)
	c.asked = scan(text)
	c.asked = c.asked[:min(len(c.asked), maxTokens)]
	for _, q := range c.asked {
		if q.couldBeYear() {
			m := nowhere
			m.year = int(q.value)
			c.asked = append(c.asked, token{isTime: true, when: m})
		}
	}
}
