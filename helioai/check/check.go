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
//   - [Given]: it restates the question;
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
	// Question is every text of the user that the answer may quote, joined by
	// newlines.
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

// maxTokens bounds how many numbers of an answer are looked at; the rest is
// summed up in one line.
const maxTokens = 2000

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
		if i == maxTokens {
			v.Numbers = append(v.Numbers, Line{Text: "...", Status: Unsourced, Note: "the answer has more numbers than were looked at"})
			break
		}
		if !c.consumed(i, t, judged) {
			v.Numbers = append(v.Numbers, c.number(i, t))
		}
	}
	v.settle()
	return v
}

// checker holds what the judgements of one answer share.
type checker struct {
	text    string
	tokens  []token
	asked   []token // of the question
	entries []known // newest first
}

func newChecker(in Input) *checker {
	c := &checker{text: strings.ToValidUTF8(in.Answer, "\ufffd"), asked: scan(strings.ToValidUTF8(in.Question, "\ufffd"))}
	c.tokens = scan(c.text)
	c.entries = make([]known, 0, len(in.Entries))
	for i := len(in.Entries) - 1; i >= 0; i-- {
		c.entries = append(c.entries, know(in.Entries[i]))
	}
	c.readCommas()
	// A bare year in a question, "the storm of 2015", is a time.
	for _, q := range c.asked {
		if q.couldBeYear() {
			m := nowhere
			m.year = int(q.value)
			c.asked = append(c.asked, token{isTime: true, when: m})
		}
	}
	return c
}
