package code_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool/code"
)

const marker = "Variables in the interpreter retain their full values; print only the part that you need]"

func TestLongOutputIsCutForTheModelAlone(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	text, r := run(in(t.Context(), "a"), t, c, "print "+strings.Repeat("x", 6000))
	wantEqual(t, "length", len(text), 5000)
	if !strings.HasSuffix(text, "\n... [output truncated; full output is 6000 bytes. "+marker) {
		t.Errorf("it ends with %q", text[len(text)-200:])
	}
	wantEqual(t, "what is kept", len(r.Stdout), 6001)
	wantEqual(t, "cut", r.TextCut, true)
	text, r = run(in(t.Context(), "a"), t, c, "print "+strings.Repeat("x", 5000))
	wantEqual(t, "as long as can be", len(text), 5000)
	wantEqual(t, "cut", r.TextCut, false)
}

func TestErrorsAreSeenBehindLongOutput(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Submit: &code.Submit{}})
	long := strings.Repeat("x", 6000)
	text, _ := run(in(t.Context(), "a"), t, c, "print "+long+"\nwarn "+strings.Repeat("w", 9000)+" the end\ncall submit {\"output\":\""+long+"\"}\nfail at last")
	wantEqual(t, "length", len(text), 5000)
	wantHas(t, "text", text, "xxxx\nSTDERR: ... ww", "the end\nError: at last\n[exit code 1]\n[submitted: \"xxxx", "... (len=6002)]", "\n... [output truncated; full output is ")
}

func TestOutputBeyondWhatIsKept(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{KeepBytes: 10_000})
	text, r := run(in(t.Context(), "a"), t, c, "print "+strings.Repeat("x", 20_000))
	wantEqual(t, "kept", len(r.Stdout), 10_000)
	wantEqual(t, "cut", r.StdoutCut && r.TextCut, true)
	wantHas(t, "text", text, "full output is more than 10000 bytes")
	wantEqual(t, "length", len(text), 5000)
}

// What the model reads fits, tells how the cell ended, and is whole characters.
func TestTextsFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"x", "é", "日本", "\n", "word ", "🛰"})
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(piece.Draw(t, "piece"), rapid.SampledFrom([]int{0, 1, 10, 400, 3000}).Draw(t, "times"))
		})
		r := code.Report{
			Stdout: text.Draw(t, "stdout"), Stderr: text.Draw(t, "stderr"),
			StdoutCut: rapid.Bool().Draw(t, "cut"), ExitCode: rapid.IntRange(0, 2).Draw(t, "exit"),
		}
		if s := text.Draw(t, "submitted"); s != "" {
			r.Submitted, _ = json.Marshal(s)
		}
		note := rapid.SampledFrom([]string{"", "[new interpreter: " + strings.Repeat("n", 200) + "]"}).Draw(t, "note")
		limit := rapid.IntRange(1000, 6000).Draw(t, "limit")
		got := code.TextOf(r, note, limit)
		if len(got) > limit {
			t.Fatalf("%d bytes, want %d at most", len(got), limit)
		}
		if !utf8.ValidString(got) || got == "" {
			t.Fatalf("not a text: %q", got)
		}
		if r.ExitCode != 0 && !strings.Contains(got, fmt.Sprintf("[exit code %d]", r.ExitCode)) {
			t.Fatalf("no exit code in %q", got)
		}
		if !strings.HasPrefix(got, note) {
			t.Fatalf("no note in %q", got)
		}
		if cut := strings.HasSuffix(got, marker); cut && len(got) < limit-8 && !r.StdoutCut {
			t.Fatalf("cut to %d bytes, though %d fit", len(got), limit)
		}
	})
}

func TestBindingsAreToldAfterEachCell(t *testing.T) {
	t.Parallel()
	var told [][]repl.Binding
	c := openWith(t, &repltest.Runtime{}, &code.Options{
		OnBindings: func(session string, b []repl.Binding) {
			wantText(t, "session", session, "a")
			told = append(told, b)
			panic("ignored")
		},
		Startup: "set from_startup 1",
	})
	ctx := in(t.Context(), "a")
	_, r := run(ctx, t, c, `set x 5
set __hidden 1
set long "`+strings.Repeat("v", 500)+`"
fail`)
	wantText(t, "names", strings.Join(r.Bindings, " "), "from_startup long x")
	wantEqual(t, "times", len(told), 1)
	wantText(t, "a long value", told[0][1].Value, strings.Repeat("v", 200)+"... (len=500)")
	wantText(t, "type", told[0][1].Type, "string")
	wantText(t, "a short one", told[0][2].Value, "5")
	run(ctx, t, c, "die 1")
	wantEqual(t, "times, when the interpreter has died", len(told), 1)
}

func TestManyBindingsAreCut(t *testing.T) {
	t.Parallel()
	for _, secrets := range []*secret.Registry{nil, registry(t, map[string]string{"KEY": "sk-0123456789"})} {
		var told []repl.Binding
		c := open(t, &code.Options{
			OnBindings: func(_ string, b []repl.Binding) { told = b }, Secrets: secrets,
			Bindings: repl.BindingLimits{Value: 50, Total: 1000},
		})
		var cell strings.Builder
		for i := range 100 {
			fmt.Fprintf(&cell, "set v%02d \"%s\"\n", i, strings.Repeat("v", 300))
		}
		run(in(t.Context(), "a"), t, c, cell.String())
		last := told[len(told)-1]
		wantText(t, "the last", last.Name+" "+last.Value, "__truncated__ (snapshot exceeded 1000 chars; remaining vars dropped)")
		size := 0
		for _, b := range told[:len(told)-1] {
			size += len(b.Name) + len(b.Type) + len(b.Value)
			wantText(t, b.Name, b.Value, strings.Repeat("v", 50)+"... (len=300)")
		}
		if size > 1000 || size < 900 {
			t.Errorf("%d bytes of bindings, want just under 1000", size)
		}
	}
}

func registry(tb testing.TB, secrets map[string]string) *secret.Registry {
	tb.Helper()
	var r secret.Registry
	for name, value := range secrets {
		if err := r.Register(name, value); err != nil {
			tb.Fatal(err)
		}
	}
	return &r
}
