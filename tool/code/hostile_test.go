package code_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/tool/code"
)

func TestASecretAtTheCutOfACellThatIsEnded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		const long = "sk-0123456789abcdefghij"
		for cut := 4; cut < len(long); cut += 6 {
			c, ctx := openReal(t, rt, &code.Options{Secrets: registry(t, map[string]string{"KEY": long}), Timeout: 300 * time.Millisecond, KeepBytes: 2000})
			cell := strings.ReplaceAll(say(
				"const k = ['sk-0123456','789abcdefghij'].join(''); console.error('.'.repeat(2000 - CUT) + k + 'x'.repeat(5000)); for(;;);",
				"import sys\nk = ''.join(['sk-0123456','789abcdefghij'])\nsys.stderr.write('.' * (2000 - CUT) + k + 'x' * 5000 + chr(10))\nwhile True: pass"), "CUT", strconv.Itoa(cut))
			text, r := run(ctx, t, c, cell)
			if strings.Contains(text, "sk-") || strings.Contains(r.Stderr, "sk-") {
				t.Errorf("cut %d: %q", cut, r.Stderr[max(0, len(r.Stderr)-80):])
			}
			wantHas(t, "text", text, "Execution timed out")
			c.Close()
		}
	})
}

// An output whose only field has the name of the parameter.
func TestAnOutputThatHasAnOutput(t *testing.T) {
	t.Parallel()
	type answer struct {
		Output string `json:"output"`
	}
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		c, ctx := openReal(t, rt, &code.Options{Submit: submitOf[answer](t, nil)})
		text, r := run(ctx, t, c, say("submit({output: 'x'})", "submit({'output': 'x'})"))
		wantText(t, "submitted", string(r.Submitted), `{"output":"x"}`)
		wantNot(t, "text", text, "failed")
	})
}

// What was accepted is not lost with the rest of the cell, nor by a second try.
func TestACellThatFailsAfterItHasSubmitted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, rt repl.Runtime, say func(javascript, python string) string) {
		for _, rest := range []string{say("; nothing.at.all", "; nothing.at.all"), say("; for (;;);", "\nwhile True: pass")} {
			c, ctx := openReal(t, rt, &code.Options{Submit: &code.Submit{}, Timeout: 300 * time.Millisecond})
			res, err := execute(ctx, c, "submit(1)"+rest)
			if err != nil || res.IsError {
				t.Errorf("%s: %+v, %v; want no error", rest, res, err)
			}
			wantHas(t, "text", res.Text(), "[submitted: 1]", "[exit code 1]")
			_, r := run(ctx, t, c, "submit(2)")
			wantText(t, "in the report of the next", string(r.Submitted), "1")
			c.Close()
		}
	})
}
