package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/llm"
)

// openDemo is the synthetic data that come with the program.
func openDemo(t testing.TB) archive.Archive {
	t.Helper()
	a, err := demo.Archive()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDemoQuestionIsAnsweredWithItsTruths(t *testing.T) {
	t.Parallel()
	b := newBench(t, openDemo(t), allTools()).ask(demo.Question)
	if b.refused {
		t.Fatalf("the demo question is declined: %s", b.answer)
	}
	for _, want := range []string{"mean 7.6289 nT", "maximum 17.71 nT at 2023-06-15T14:30:29Z", "demo_mfi_20230615_v01/BGSM"} {
		if !strings.Contains(b.answer, want) {
			t.Errorf("the answer does not say %q: %s", want, b.answer)
		}
	}
	if len(b.drawn) == 0 {
		t.Error("no figure was drawn")
	}
}

func TestEveryClaimNamesAnEntryAndStandsInTheText(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		demo.Question, "how often was |B| above 10 nT in the MFI data, and for how many hours?", "mean and median of Bz GSM in pT from 06:00 to 12:00",
		"10th and 90th percentiles of the field magnitude", "Bz GSM at 14:30", "how many samples of |B| are missing?", "minimum variance of the field in GSM from 14:00 to 15:00",
	} {
		b := newBench(t, openDemo(t), allTools()).ask(q)
		if b.refused || len(b.claims) == 0 {
			t.Errorf("%q: declined or without claims: %s", q, b.answer)
		}
		for _, c := range b.claims {
			if !b.entries[c.Source] {
				t.Errorf("%q: claim %s names no entry of the ledger", q, c.Source)
			}
			if text := strings.Trim(string(c.Value), `"`); !strings.Contains(b.answer, text) {
				t.Errorf("%q: claim %s = %s is not in the answer: %s", q, c.Name, text, b.answer)
			}
		}
		if !strings.HasSuffix(b.answer, signature) {
			t.Errorf("%q: the answer does not say who gave it: %s", q, b.answer)
		}
	}
}

func TestWhatItCannotDoIsRefused(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"How well do Bx and By correlate?":                 "a relation between quantities",
		"mean field outside of the sheath":                 "a negation",
		"mean of Bx while Bz is negative":                  "a condition on another quantity",
		"mean Bz when |B| is above 10 nT":                  "several quantities around one statistic",
		"mean of |B| above 10 nT":                          "condition",
		"how often was Bz below -2 nT and |B| above 10 nT": "two conditions",
		"is Bz GSM not below -2 nT":                        "a negation",
		"maximum of the mean field":                        "a statistic of a statistic",
		"What was Bz when the field was highest?":          "several quantities around one statistic",
		"when the field was highest, what was Bz?":         "which statistic",
		"maximum field and Bz at that time":                "at the time of another",
		"hourly means of |B|":                              "sub-intervals",
		"mean field by hour":                               "sub-intervals",
		"trend of Bz":                                      "a derivative",
		"power spectrum of Bz":                             "a spectrum",
		"predict Bz for tomorrow":                          "a prediction",
		"why is the field so strong":                       "an explanation",
		"maximum of -Bz":                                   `"-"`,
		"mean of Bx / By":                                  `"/"`,
		"mean of |Bz|":                                     `"|Bz|"`,
		"median of the 3 highest values of |B|":            `"3"`,
		"mean field when":                                  "of what is not clear",
		"how often was the field":                          "not clear",
		"first value of |B|":                               "single records",
		"fraction of time Bz < By":                         `"<"`,
		"when did Bz GSM cross zero":                       "finding events",
		"was the field stronger in the morning":            "comparison",
		"mean quux":                                        `"quux"`,
		"hello":                                            "no quantity",
		"gyroradius of protons in 5 nT":                    "not among its formulas",
		"plasma beta for 5 nT and 5 cm^-3":                 "not all of them are given",
		"Alfven speed at noon":                             "more than the Alfven speed",
		"alfven speed for 5 nT and 5 cm^-3 and 400 km/s":   "takes no value in km/s",
		"minimum variance and mean of the field":           "something else at once",
		strings.Repeat("mean field ", 200):                 "longer than",
	} {
		b := newBench(t, openDemo(t), allTools()).ask(question)
		if !b.refused || len(b.claims) > 0 {
			t.Errorf("%q is answered: %s", question, b.answer)
			continue
		}
		if !strings.Contains(b.answer, want) {
			t.Errorf("%q: the refusal does not say %q: %s", question, want, b.answer)
		}
		if !strings.Contains(b.answer, beyondGrammar) {
			t.Errorf("%q: the refusal does not say what it would take: %s", question, b.answer)
		}
		for _, c := range b.calls {
			if c.Name != "final_answer" {
				t.Errorf("%q: it calls %s before it refuses", question, c.Name)
			}
		}
	}
}

func TestBadInputIsToldInOneSentence(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"mean of BGEO":                     `there is no parameter "BGEO"`,
		"mean field from 05:30 to 03:00":   "not later",
		"mean field on 3 January 2020":     "has no data",
		"mean field in km/s":               "cannot be given in km/s",
		"how often is |B| above 5 km/s":    "does not fit",
		"field at 12:00 on 3 January 2020": "has no data",
		"mean pressure":                    "hold no pressure",
		"mean field on 31 June":            "no calendar has",
		"electron density":                 "hold no electron density",
	} {
		b := newBench(t, openDemo(t), allTools()).ask(question)
		if !b.refused || !strings.Contains(b.answer, want) {
			t.Errorf("%q: got %s, want a refusal that says %q", question, b.answer, want)
		}
		if strings.Contains(b.answer, beyondGrammar) {
			t.Errorf("%q: no model can answer it, and yet one is asked for: %s", question, b.answer)
		}
	}
}

// A figure is passed on without the answer that says what its data are.
func TestFiguresOfSyntheticDataSaySo(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"mean field magnitude in the MFI data", "plot Bz GSM", "minimum variance analysis of the field in GSE"} {
		b := newBench(t, openDemo(t), allTools()).ask(question)
		if len(b.drawn) != 1 || !strings.Contains(b.drawn[0], "(synthetic data)") {
			t.Errorf("%q draws %q, want one figure whose title says synthetic", question, b.drawn)
		}
	}
}

func TestWithoutPythonTheStatisticsAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, openDemo(t), dataTools()).ask("mean and maximum of the field magnitude in the MFI data, and when")
	for _, want := range []string{"mean 7.6289 nT", "maximum 17.71 nT at 2023-06-15T14:30:29Z", "No figure was made, because no tool runs Python here."} {
		if !strings.Contains(b.answer, want) {
			t.Errorf("the answer does not say %q: %s", want, b.answer)
		}
	}
	b = newBench(t, openDemo(t), dataTools()).ask("mean |B| in the MFI data, and how often was it above 10 nT?")
	if b.refused || !strings.Contains(b.answer, "a part of the question were skipped") {
		t.Errorf("a question of two parts: got %s", b.answer)
	}
	for _, question := range []string{"how often was |B| above 10 nT", "plot |B|", "mean |B| in pT", "minimum variance of the field in GSM"} {
		b := newBench(t, openDemo(t), dataTools()).ask(question)
		if !b.refused || !strings.Contains(b.answer, "no tool runs code here") {
			t.Errorf("%q: got %s, want a refusal that names the missing tool", question, b.answer)
		}
	}
}

func TestWithoutFinalAnswerItEndsInPlainText(t *testing.T) {
	t.Parallel()
	tools := dataTools()[:2]
	b := newBench(t, openDemo(t), tools).ask("mean field magnitude in the MFI data")
	if !strings.Contains(b.answer, "mean 7.6289 nT") {
		t.Errorf("got %s", b.answer)
	}
}

func TestFollowUpTakesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ first, then, want string }{
		{"minimum Bz GSM from 06:00 to 12:00", "and the maximum?", "maximum"},
		{"minimum Bz GSM", "what about By?", "By GSM (local/demo_mfi_20230615_v01/BGSM): minimum"},
		{"mean |B| in the MFI data", "and after 12:00?", "mean"},
	} {
		b := newBench(t, openDemo(t), allTools()).ask(test.first, test.then)
		if b.refused || !strings.Contains(b.answer, test.want) {
			t.Errorf("%q, then %q: got %s, want %q", test.first, test.then, b.answer, test.want)
		}
		if !strings.Contains(b.answer, "question before") {
			t.Errorf("%q, then %q: it does not tell what it took over: %s", test.first, test.then, b.answer)
		}
	}
	b := newBench(t, openDemo(t), allTools()).ask("minimum Bz GSM", "and the correlation with By?")
	if !b.refused {
		t.Errorf("a follow-up that it cannot follow is answered: %s", b.answer)
	}
}

func TestRecipesAreCited(t *testing.T) {
	t.Parallel()
	b := newBench(t, openDemo(t), allTools()).ask("minimum variance of the field in GSM from 14:00 to 15:00")
	if want := "Method: the recipe mvab, after Sonnerup, B. U. O. and Scheible, M."; !strings.Contains(b.answer, want) {
		t.Errorf("got %s, want %q", b.answer, want)
	}
}

// A table of text may tell no units; its column names then say what is what.
func TestTablesWithoutUnitsAreRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table.csv")
	rows := "time,bx,by,bz,speed\n"
	for i := range 10 {
		rows += fmt.Sprintf("2023-01-02T00:%02d:00Z,%d,%d,%d,%d\n", i, i, -i, (i*7)%5, 400+i)
	}
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	arch, err := archive.OpenLocal([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"mean speed":                          "mean 404.5.",
		"minimum by":                          "minimum -9 at 2023-01-02T00:09:00Z",
		"max bz":                              "maximum 4 at",
		"how many samples have bx above 5 nT": `the file tells no unit of b, so "above 5 nT" is compared as it stands`,
		"strongest bx":                        "both of its extremes",
		"minimum variance of the field":       "Minimum variance analysis of local/table/b, on",
		"speed at 00:03":                      "403 at 2023-01-02T00:03:00Z",
		"mean speed from 00:03 to 00:04":      "Taken from 1 record from",
		"what is in there":                    "\n\ntable covers 2023-01-02, with one record every minute.",
	} {
		b := newBench(t, arch, allTools()).ask(question)
		if b.refused || !strings.Contains(b.answer, want) {
			t.Errorf("%q: got %s, want %q", question, b.answer, want)
		}
	}
}

func TestFilesWithoutATimeAxisAreNotCalledMissing(t *testing.T) {
	t.Parallel()
	arch := openCDF(t, &cdftest.File{Variables: []cdftest.Variable{{Name: "B", Type: cdf.Real8, Values: []float64{1, 2, 3}}}})
	b := newBench(t, arch, allTools()).ask("mean of B")
	if want := "the data hold no variable with a time axis"; !b.refused || !strings.Contains(b.answer, want) {
		t.Errorf("got %s, want %q", b.answer, want)
	}
}

func TestADescriptionOfControlCharactersIsNoLabel(t *testing.T) {
	t.Parallel()
	epoch, err := tt.Parse("2024-01-01T00:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	arch := openCDF(t, &cdftest.File{Variables: []cdftest.Variable{
		{Name: "Epoch", Type: cdf.TT2000, Values: []tt.Time{epoch, epoch.Add(time.Minute)}},
		{Name: "B", Type: cdf.Real8, Values: []float64{1, 3}, Attributes: []cdftest.Attribute{
			{Name: "DEPEND_0", Values: []any{"Epoch"}}, {Name: "CATDESC", Values: []any{"\x1b\a"}},
		}},
	}})
	b := newBench(t, arch, allTools()).ask("mean of B")
	if want := "B (local/made/B): mean 2."; b.refused || !strings.HasPrefix(b.answer, want) {
		t.Errorf("got %q, want %q", b.answer, want)
	}
}

func openCDF(t *testing.T, f *cdftest.File) archive.Archive {
	t.Helper()
	content, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "made.cdf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	arch, err := archive.OpenLocal([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	return arch
}

// A step of several fetches is announced; a single one is not.
func TestLongerWorkIsPlanned(t *testing.T) {
	t.Parallel()
	names := func(b *bench) string {
		var all []string
		for _, c := range b.calls {
			all = append(all, c.Name)
		}
		return strings.Join(all, " ")
	}
	b := newBench(t, openDemo(t), allTools()).ask("mean |B| in the MFI data and minimum Bz GSM")
	if got, want := names(b), "present_plan get_timeseries get_timeseries run_python final_answer"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	b = newBench(t, openDemo(t), allTools()).ask("minimum Bz GSM")
	if got, want := names(b), "get_timeseries run_python final_answer"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	b = newBench(t, openDemo(t), allTools()).ask("minimum variance of the field in GSM")
	if got, want := names(b), "present_plan get_timeseries run_recipe run_python final_answer"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSameRequestGivesTheSameCalls(t *testing.T) {
	t.Parallel()
	for _, q := range []string{demo.Question, "What data do you have?", "mean density and speed", "is any data missing?"} {
		a, b := newBench(t, openDemo(t), allTools()).ask(q), newBench(t, openDemo(t), allTools()).ask(q)
		first, _ := json.Marshal(a.calls)
		second, _ := json.Marshal(b.calls)
		if string(first) != string(second) {
			t.Errorf("%q: the calls differ:\n%s\n%s", q, first, second)
		}
	}
}

// failing answers every call of one tool with an error.
func runWithFailure(t *testing.T, tool, message, question string) string {
	t.Helper()
	b := newBench(t, openDemo(t), allTools())
	model := New(b.archive)
	messages := []llm.Message{llm.User(question)}
	for range 8 {
		resp, err := llm.Generate(context.Background(), model, &llm.Request{Messages: messages, Tools: b.tools})
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, resp.Message)
		results := llm.Message{Role: llm.RoleTool}
		for _, c := range resp.Message.Calls() {
			text, isError := b.run(c)
			if c.Name == "final_answer" {
				return b.answer
			}
			if c.Name == tool {
				text, isError = message, true
			}
			results.Parts = append(results.Parts, llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: c.ID, Name: c.Name, Parts: []llm.Part{llm.Text(text)}, IsError: isError}})
		}
		messages = append(messages, results)
	}
	t.Fatalf("%q: no answer", question)
	return ""
}

func TestFailedToolsBecomeClearAnswers(t *testing.T) {
	t.Parallel()
	answer := runWithFailure(t, "get_timeseries", "read x: the disk is gone", "minimum Bz GSM")
	if !strings.Contains(answer, "There is no answer: read x: the disk is gone.") {
		t.Errorf("a failed fetch: got %s", answer)
	}
	answer = runWithFailure(t, "run_python", `{"error":"Execution timed out after 60 s"}`, "minimum Bz GSM")
	if !strings.Contains(answer, "minimum") || !strings.Contains(answer, "The Python part failed (Execution timed out after 60 s)") {
		t.Errorf("a failed script: got %s", answer)
	}
	answer = runWithFailure(t, "run_python", "the call was denied", "how often was |B| above 10 nT in the MFI data")
	if !strings.Contains(answer, "There is no answer: the Python part failed") {
		t.Errorf("a denied script: got %s", answer)
	}
	answer = runWithFailure(t, "run_recipe", `{"error":"at least 4 field vectors are needed"}`, "minimum variance of the field in GSM")
	if !strings.Contains(answer, "at least 4 field vectors are needed") {
		t.Errorf("a refused recipe: got %s", answer)
	}
}

func TestModelSpeaksLikeAModel(t *testing.T) {
	t.Parallel()
	model := New(openDemo(t))
	if got := model.Name(); got != "offline/planner" {
		t.Errorf("name: got %s", got)
	}
	req := &llm.Request{Messages: []llm.Message{llm.User("minimum Bz GSM")}, Tools: allTools()}
	resp, err := llm.Generate(context.Background(), model, req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Finish != llm.FinishToolCalls || len(resp.Message.Calls()) != 1 {
		t.Errorf("got %s with %d calls", resp.Finish, len(resp.Message.Calls()))
	}
	resp, err = llm.Generate(context.Background(), model, &llm.Request{Messages: req.Messages})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Finish != llm.FinishStop || !strings.Contains(resp.Text(), "not offered here") {
		t.Errorf("without tools: %s, %q", resp.Finish, resp.Text())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := llm.Generate(ctx, model, req); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: got %v", err)
	}
}

// A stream that its reader leaves must stop there.
func TestStreamCanBeLeft(t *testing.T) {
	t.Parallel()
	for range New(openDemo(t)).Stream(context.Background(), &llm.Request{Messages: []llm.Message{llm.User("hello")}}) {
		break
	}
}
