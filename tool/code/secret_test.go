package code_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/tool/code"
)

const key = "a&b<c>12"

func TestSecretsAreNotSeen(t *testing.T) {
	t.Parallel()
	leak := code.Func("leak", "x", func(context.Context, struct{}) (map[string]string, error) { return map[string]string{"key": key}, nil })
	sorry := code.Func("sorry", "x", func(context.Context, struct{}) (string, error) { return "", errors.New("GET /?key=" + key) })
	model := llmtest.New(llmtest.Text("it is " + key))
	var told string
	c := open(t, &code.Options{
		Secrets: registry(t, map[string]string{"KEY": key}), Functions: []code.Function{leak, sorry},
		Predict: &code.Predict{Model: model}, Submit: &code.Submit{},
		Inputs:     []code.Input{{Name: "given", Value: []byte(`"` + key + `"`)}},
		OnBindings: func(_ string, b []repl.Binding) { told = fmt.Sprint(b) },
	})
	ctx := in(t.Context(), "a")
	text, r := run(ctx, t, c, "print "+key+"\nwarn "+key+"\nset x \""+key+"\"\nshow given")
	wantText(t, "text", text, "<redacted:KEY>\n<redacted:KEY>\nSTDERR: <redacted:KEY>")
	wantEqual(t, "redactions", r.Redactions.Total(), 3) // of the two streams and of x; given came redacted
	wantHas(t, "bindings", told, "x string <redacted:KEY>", "given string <redacted:KEY>")

	text, _ = run(ctx, t, c, "call leak\ntry sorry\ncall predict {\"instructions\":\"keep "+key+"\",\"input\":\""+key+"\"}\ncall submit {\"output\":{\"k\":\""+key+"\"}}")
	wantHas(t, "text", text, `{"key":"<redacted:KEY>"}`, "caught: GET /?key=<redacted:KEY>", `"it is <redacted:KEY>"`, `[submitted: {"k":"<redacted:KEY>"}]`)
	req := model.Requests()[0]
	wantText(t, "what the model was told", req.System[0].Text+" "+req.Messages[0].Text(), "keep <redacted:KEY> <redacted:KEY>")
	output, _ := c.Submitted("a")
	wantText(t, "submitted", string(output), `{"k":"<redacted:KEY>"}`)
}

// Whatever a cell prints and keeps, wherever its output is cut, no part of a
// secret that could be told is seen: with every secret so long that eight bytes
// tell it, no eight bytes of any are.
func TestNoPartOfASecretIsSeen(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{"ONE": "a&b<c>12", "TWO": "12345678-abcdefgh-ABCDEFGH", "THREE": "abcdefgh-ABCDEFGH-zyxwvuts", "FOUR": "sk-" + strings.Repeat("Q7", 150)}
	reg := registry(t, secrets)
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.Custom(func(t *rapid.T) string {
			value := secrets[rapid.SampledFrom([]string{"ONE", "TWO", "THREE", "FOUR"}).Draw(t, "secret")]
			switch rapid.IntRange(0, 4).Draw(t, "form") {
			case 0:
				return strings.Repeat(".", rapid.IntRange(0, 700).Draw(t, "fill"))
			case 1:
				data, _ := json.Marshal(value)
				return string(data)
			}
			return value
		})
		pieces := rapid.SliceOfN(piece, 0, 12)
		out, errs, kept := pieces.Draw(t, "out"), pieces.Draw(t, "err"), pieces.Draw(t, "kept")
		var chunk sync.Mutex
		chunks := rapid.IntRange(1, 40).Draw(t, "chunk")
		rt := &repltest.Runtime{Run: func(c *repltest.Cell) int {
			chunk.Lock()
			defer chunk.Unlock()
			write := func(w interface{ Write([]byte) (int, error) }, text string) {
				for len(text) > 0 {
					n := min(chunks, len(text))
					_, _ = w.Write([]byte(text[:n]))
					text = text[n:]
				}
			}
			write(c.Stdout, strings.Join(out, ""))
			write(c.Stderr, strings.Join(errs, ""))
			c.Vars["kept"] = strings.Join(kept, "")
			return 1
		}}
		var told []repl.Binding
		c, err := code.New(rt, &code.Options{
			Secrets: reg, KeepBytes: rapid.IntRange(1, 2000).Draw(t, "keep"), ModelBytes: 1000,
			OnBindings: func(_ string, b []repl.Binding) { told = b },
			Bindings:   repl.BindingLimits{Value: rapid.IntRange(1, 300).Draw(t, "value")},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		res, err := execute(in(context.Background(), "a"), c, "x")
		if err != nil {
			t.Fatal(err)
		}
		all := res.Text() + "\x00" + string(res.Data) + "\x00" + fmt.Sprint(told)
		for name, value := range secrets {
			for i := 0; i+8 <= len(value); i++ {
				if name == "FOUR" && i > 20 {
					break // it goes on the same
				}
				if strings.Contains(all, value[i:i+8]) {
					t.Fatalf("%q of %s is seen in %q", value[i:i+8], name, all)
				}
			}
		}
		if !llm.Deeper(res.Data, 0) {
			t.Fatalf("no report: %s", res.Data)
		}
	})
}
