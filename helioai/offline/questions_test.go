package offline

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helio/units"
)

// A question is a row of testdata/questions.tsv, whose head explains the form.
type question struct {
	id, text string
	files    []string
	expected []expectation
	refuse   bool
	loose    bool // other claims are not judged
}

type expectation struct {
	name      string
	optional  bool
	number    float64
	tolerance float64
	unit      string
	time      tt.Time
	kind      string // "number", "time", "figure", "says"
	text      string
}

func readQuestions(t testing.TB) []question {
	t.Helper()
	f, err := os.Open("testdata/questions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []question
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			t.Fatalf("questions.tsv: %d cells in %q", len(cells), line)
		}
		q := question{id: cells[0], files: strings.Fields(cells[1]), text: cells[2]}
		for item := range strings.SplitSeq(cells[3], "; ") {
			switch item {
			case "refuse":
				q.refuse = true
			case "*":
				q.loose = true
			default:
				e, err := parseExpectation(item)
				if err != nil {
					t.Fatalf("questions.tsv: %s: %v", q.id, err)
				}
				q.expected = append(q.expected, e)
			}
		}
		all = append(all, q)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func parseExpectation(item string) (expectation, error) {
	e := expectation{}
	name, value, ok := strings.Cut(item, "=")
	if !ok {
		return e, fmt.Errorf("%q has no =", item)
	}
	e.name, e.optional = strings.TrimPrefix(name, "?"), strings.HasPrefix(name, "?")
	switch {
	case e.name == "figure", e.name == "says":
		e.kind, e.text = e.name, value
		return e, nil
	case strings.HasSuffix(value, "Z"):
		var err error
		e.kind = "time"
		e.time, err = tt.Parse(value)
		return e, err
	}
	e.kind = "number"
	number, unit, _ := strings.Cut(value, " ")
	e.unit = unit
	v, tolerance, _ := strings.Cut(number, "±")
	var err error
	if e.number, err = strconv.ParseFloat(v, 64); err != nil {
		return e, err
	}
	if tolerance != "" {
		e.tolerance, err = strconv.ParseFloat(tolerance, 64)
	}
	return e, err
}

// meets says whether a claim is the value that is expected.
func (e *expectation) meets(c claimed) bool {
	switch e.kind {
	case "time":
		t, ok := c.time()
		return ok && t.Sub(e.time).Abs() <= time.Second
	case "number":
		v, ok := c.number()
		if !ok {
			return false
		}
		if e.unit != "" {
			converted, err := units.Convert(v, c.Units, e.unit)
			if err != nil {
				return false
			}
			v = converted
		} else if c.Units != "" && c.Units != "count" && !units.Compatible(c.Units, "s") {
			return false
		}
		return near(v, e.number, e.tolerance)
	}
	return false
}

// A verdict on an answer: right, a refusal where there is an answer, or wrong.
type outcome int

const (
	right outcome = iota
	declined
	wrongAnswer
)

// judge compares what a bench got with what the table expects.
func (q *question) judge(b *bench) (outcome, string) {
	if q.refuse {
		if len(b.claims) > 0 || !b.refused {
			return wrongAnswer, "it answers what cannot be answered"
		}
		return right, ""
	}
	if b.refused {
		return declined, "it declines"
	}
	var faults []string
	for i := range q.expected {
		e := &q.expected[i]
		switch {
		case e.optional:
		case e.kind == "says":
			if !strings.Contains(b.answer, e.text) {
				faults = append(faults, "it does not say "+e.text)
			}
		case e.kind == "figure":
			if !b.drew(strings.Fields(e.text)) {
				faults = append(faults, "no figure of "+e.text)
			}
		default:
			found := false
			for _, c := range b.claims {
				found = found || e.meets(c)
			}
			if !found {
				faults = append(faults, "no claim of "+e.name)
			}
		}
	}
	for _, c := range b.claims {
		if q.loose || q.expects(c) || b.incidental(c) {
			continue
		}
		faults = append(faults, fmt.Sprintf("an unexpected claim %s = %s %s", c.Name, c.Value, c.Units))
	}
	if len(faults) > 0 {
		return wrongAnswer, strings.Join(faults, "; ")
	}
	return right, ""
}

func (q *question) expects(c claimed) bool {
	for i := range q.expected {
		if q.expected[i].meets(c) {
			return true
		}
	}
	return false
}

// incidental claims repeat what was asked for: the limits of a condition and
// the first and last record of the window.
func (b *bench) incidental(c claimed) bool {
	if t, ok := c.time(); ok {
		for _, s := range b.data {
			if n := s.Len(); n > 0 && (t == s.Time[0] || t == s.Time[n-1] || t.Sub(s.Time[0]).Abs() < time.Millisecond || t.Sub(s.Time[n-1]).Abs() < time.Millisecond) {
				return strings.HasSuffix(c.Name, "_first_record") || strings.HasSuffix(c.Name, "_last_record")
			}
		}
		return false
	}
	return strings.HasSuffix(c.Name, "_low") || strings.HasSuffix(c.Name, "_high")
}

// drew says whether a figure shows the variable in the window.
func (b *bench) drew(want []string) bool {
	for name, w := range b.windows {
		_, _, variable, err := archive.SplitID(w[0])
		if err != nil || variable != want[0] || len(want) == 3 && (w[1] != want[1] || w[2] != want[2]) {
			continue
		}
		for _, d := range b.drawn {
			if strings.Contains(d, nameSlug(name)) {
				return true
			}
		}
	}
	return false
}

// TestQuestions asks all questions of the table. No answer may be wrong, none
// may be declined that once was right, and the score is told.
func TestQuestions(t *testing.T) {
	t.Parallel()
	counts := map[string][3]int{}
	for _, q := range readQuestions(t) {
		b := newBench(t, openReal(t, q.files...), allTools()).ask(q.text)
		verdict, why := q.judge(b)
		set := q.id[:1]
		n := counts[set]
		n[verdict]++
		counts[set] = n
		switch verdict {
		case wrongAnswer:
			t.Errorf("%s %q: %s\nanswer: %s", q.id, q.text, why, b.answer)
		case declined:
			t.Errorf("%s %q: %s\nanswer: %s", q.id, q.text, why, b.answer)
		default:
			t.Logf("%s %q\nanswer: %s", q.id, q.text, b.answer)
		}
		for _, c := range b.claims {
			if !b.entries[c.Source] {
				t.Errorf("%s %q: claim %s names no entry of the ledger", q.id, q.text, c.Source)
			}
		}
	}
	for set, n := range counts {
		t.Logf("questions %s: %d right, %d declined, %d wrong", set, n[right], n[declined], n[wrongAnswer])
	}
	if n := counts["a"][right]; n < 24 {
		t.Errorf("of the first 30 questions %d are right, want at least 24", n)
	}
}
