package code

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// A Report is the Data of an Execute call, for programs: everything about the cell
// that the model is told in words or not at all. Nothing in it holds a secret.
type Report struct {
	ExitCode int    `json:"exit_code"`
	Stdout   string `json:"stdout,omitempty"` // up to Options.KeepBytes
	Stderr   string `json:"stderr,omitempty"`

	StdoutCut bool `json:"stdout_cut,omitempty"` // more was printed than is kept
	StderrCut bool `json:"stderr_cut,omitempty"`
	TextCut   bool `json:"text_cut,omitempty"` // the model was shown less than there is

	Refused     bool `json:"refused,omitempty"` // the cell was not run
	TimedOut    bool `json:"timed_out,omitempty"`
	Interrupted bool `json:"interrupted,omitempty"`
	OutOfMemory bool `json:"out_of_memory,omitempty"`
	Lost        bool `json:"lost,omitempty"`      // the interpreter is gone with all variables
	Restarted   bool `json:"restarted,omitempty"` // it was new, and the model was told that earlier variables are gone

	DurationMS int64          `json:"duration_ms"`
	Calls      map[string]int `json:"calls,omitempty"`    // of functions of the host, by name
	Predict    *Spent         `json:"predict,omitempty"`  // what its calls of predict have taken
	Bindings   []string       `json:"bindings,omitempty"` // names of the variables, with Options.OnBindings

	Submitted  json.RawMessage `json:"submitted,omitempty"` // what was accepted, where this cell called submit
	Redactions secret.Counts   `json:"redactions,omitempty"`

	note string // for the model, before the rest
}

// minModelBytes is room for all that is said about output beside the output.
const minModelBytes = 1000

// result words the report for the model, in at most so many bytes. A cell that has
// submitted an output and failed then has done what it was there for.
func (r *Report) result(limit int) (tool.Result, error) {
	text := r.text(limit)
	return textResult(text, r, r.ExitCode != 0 && r.Submitted == nil)
}

// text is what the model reads. What does not fit is cut from standard output
// first, and from the beginning of standard error, whose end tells what went wrong;
// the rest always stays.
func (r *Report) text(limit int) string {
	var tail []string
	if r.ExitCode != 0 {
		tail = append(tail, fmt.Sprintf("[exit code %d]", r.ExitCode))
	}
	if r.Submitted != nil {
		tail = append(tail, "[submitted: "+shorten(string(r.Submitted), limit/5)+"]")
	}
	stdout, stderr := strings.TrimRight(r.Stdout, "\n"), strings.TrimRight(r.Stderr, "\n")
	if strings.TrimSpace(stdout) == "" {
		stdout = ""
	}
	if stderr != "" {
		stderr = "STDERR: " + stderr
	}
	if stdout == "" && stderr == "" && len(tail) == 0 {
		stdout = "(no output)"
	}
	full := lines(append([]string{r.note, stdout, stderr}, tail...)...)
	if len(full) <= limit && !r.StdoutCut && !r.StderrCut {
		return full
	}
	r.TextCut = true
	atLeast := ""
	if r.StdoutCut || r.StderrCut {
		atLeast = "more than "
	}
	marker := fmt.Sprintf("\n... [output truncated; full output is %s%d bytes. Variables in the interpreter retain their full values; print only the part that you need]", atLeast, len(full))
	room := limit - len(marker) - len(lines(append([]string{r.note, "", ""}, tail...)...)) - 2 // the ends of two lines
	if len(stderr) > max(room/2, room-len(stdout)) {
		keep := max(room/2, room-len(stdout))
		const gap = "STDERR: ... "
		stderr = gap + strings.ToValidUTF8(stderr[len(stderr)-max(keep-len(gap), 0):], "")
	}
	used := len(lines(append([]string{r.note, "", stderr}, tail...)...)) + len(marker)
	if r.note != "" || stderr != "" || len(tail) > 0 {
		used++ // the end of the line of standard output
	}
	stdout = cutAt(stdout, max(limit-used, 0))
	return lines(append([]string{r.note, stdout, stderr}, tail...)...) + marker
}

// lines joins what is not empty.
func lines(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p)
	}
	return b.String()
}

// cutAt cuts a text to at most n bytes, at a rune boundary.
func cutAt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// shorten cuts a text and says how long it was.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return fmt.Sprintf("%s... (len=%d)", cutAt(text, n), len(text))
}
