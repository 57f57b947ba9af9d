package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai"
	"github.com/helios-go/helios/helioai/check"
)

func shown(t *testing.T, a *helioai.Answer) string {
	t.Helper()
	var b bytes.Buffer
	if err := showAnswer(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEachNumberHasItsVerdict(t *testing.T) {
	t.Parallel()
	got := shown(t, &helioai.Answer{
		Text: "The mean is 3.67 nT.", Session: "s", Notebook: "/data/n.ipynb", Skipped: "No figure.",
		Figures: []string{"/data/fig_0_1.png", "/data/fig_0_1.pdf"},
		Verdict: &check.Verdict{
			Claims: []check.Line{
				{Name: "maximum", Value: "6.1", Units: "nT", Status: check.Contradicted, Entry: "b_max", Note: "the ledger says 5.26 nT"},
				{Name: "b_mean", Value: "3.67", Units: "nT", Status: check.Matched, Entry: "b_mean", Code: "code_0.py"},
			},
			Numbers: []check.Line{
				{Text: "2023-01-02", Status: check.Given},
				{Text: "7", Status: check.Unsourced},
				{Text: "7", Status: check.Unsourced}, // said twice, shown once
			},
			Matched: 1, Contradicted: 1, Unsourced: 2, Given: 1,
		},
	})
	want := `
The mean is 3.67 nT.

Numbers: 1 matched, 1 contradicted, 2 unsourced, 1 given; against b_max
  ✗ contradicted  6.1 nT      maximum  b_max (the ledger says 5.26 nT)
  ✓ matched       3.67 nT     b_mean   from code_0.py
  · given         2023-01-02
  ? unsourced     7

  Figure    /data/fig_0_1.png
            /data/fig_0_1.pdf
  Notebook  /data/n.ipynb

No figure.

session s
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAVerdictCannotForgeALine(t *testing.T) {
	t.Parallel()
	got := shown(t, &helioai.Answer{Text: "x", Verdict: &check.Verdict{
		Claims: []check.Line{{
			Text: "\x1b[2J6", Name: "a\n  ✓ matched  9 nT", Value: "6\x1b[1m", Status: check.Contradicted, Note: "n\r\x1b[K", Entry: "e\n",
		}},
		Contradicted: 1,
	}})
	if strings.ContainsAny(got, "\x1b\r") {
		t.Errorf("control characters reach the terminal: %q", got)
	}
	if n := strings.Count(got, "\n  "); n != 1 {
		t.Errorf("%d rows for one claim: %q", n, got)
	}
}

func TestAnAnswerWithoutNumbersHasNoTable(t *testing.T) {
	t.Parallel()
	for _, v := range []*check.Verdict{nil, {}} {
		if got := shown(t, &helioai.Answer{Text: "There is none.", Session: "s", Verdict: v}); got != "\nThere is none.\n\nsession s\n" {
			t.Errorf("got %q", got)
		}
	}
}

// Scripts read the answer: what they look for has the same names when there is
// no answer, and text is not escaped for HTML.
func TestJSONTellsWhatWentWrong(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := writeJSON(&b, &helioai.Answer{Session: "s", Text: "Bz < 0 & By > 0", Figures: []string{}, Error: "interrupted"}); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"session", "question", "answer", "unanswered", "verdict", "figures", "workspace", "model", "usage", "cost_micros", "error"} {
		if _, ok := got[key]; !ok {
			t.Errorf("there is no %q in %s", key, b.String())
		}
	}
	if !strings.Contains(b.String(), "Bz < 0 & By > 0") || got["error"] != "interrupted" {
		t.Errorf("got %s", b.String())
	}
}

func TestTablesAreAlignedByWhatIsSeen(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	writeColumns(&b, [][]string{{strong.Render("a"), "µ", "x"}, {"bb", "", "y"}, {"c", "nT", ""}})
	want := "  " + strong.Render("a") + "   µ   x\n  bb      y\n  c   nT\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
