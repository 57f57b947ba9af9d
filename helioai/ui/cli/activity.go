package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/helioai/wording"
	"github.com/helios-go/helios/llm"
)

// activity shows what a run does while it does it, a line for each step.
type activity struct {
	*live
	running map[string]string // tool names by call id
}

func newActivity(w io.Writer) *activity {
	return &activity{live: newLive(w), running: map[string]string{}}
}

func (a *activity) open(question string, demo bool) {
	a.line(wrap(a.w, strong.Render("?")+" "+printable(oneLine(question))))
	if demo {
		a.line(faint.Render("  no --data given: asking the synthetic demo data"))
	}
}

// event shows one event of the run.
func (a *activity) event(e agent.Event) {
	switch d := e.Data.(type) {
	case *agent.TurnStarted:
		a.run("thinking")
	case *agent.ToolStarted:
		if d.Call.Name == "final_answer" {
			return
		}
		a.running[d.Call.ID] = d.Call.Name
		a.line(faint.Render("→ " + describeCall(d.Call)))
		a.run(d.Call.Name)
	case *agent.ToolProgress:
		a.progress(clip(d.Part.Text))
	case *agent.ToolEnded:
		a.ended(d)
	case *agent.ModelRetried:
		a.line(caution.Render("! the model call failed and is made again: " + clip(d.Reason)))
	}
}

func (a *activity) ended(d *agent.ToolEnded) {
	if d.Result != nil {
		delete(a.running, d.Result.ID)
	}
	if len(a.running) == 0 {
		a.run("")
	}
	if d.Final {
		return
	}
	if d.Outcome != agent.OutcomeOK || d.Result != nil && d.Result.IsError {
		a.line(caution.Render("← " + firstError(d.Result)))
		return
	}
	if text := describeResult(d); text != "" {
		a.line(faint.Render("← " + text))
	}
}

// describeCall says in one line what a tool is asked to do.
func describeCall(call *llm.ToolCall) string {
	var args struct {
		Queries []string `json:"queries"`
		Param   string   `json:"param_id"`
		Start   string   `json:"start"`
		Stop    string   `json:"stop"`
		Code    string   `json:"code"`
		Name    string   `json:"name"`
		Title   string   `json:"title"`
	}
	if json.Unmarshal(call.Args, &args) != nil {
		return call.Name
	}
	switch {
	case len(args.Queries) > 0:
		return call.Name + "  " + clip(strings.Join(args.Queries, "; "))
	case args.Param != "" && args.Start+args.Stop != "":
		return fmt.Sprintf("%s  %s, %s to %s", call.Name, clip(args.Param), orOpen(args.Start), orOpen(args.Stop))
	case args.Param != "":
		return call.Name + "  " + clip(args.Param)
	case args.Code != "":
		n := strings.Count(strings.TrimSpace(args.Code), "\n") + 1
		return fmt.Sprintf("%s  %s of Python", call.Name, plural(n, "line"))
	case args.Name != "":
		return call.Name + "  " + clip(args.Name)
	case args.Title != "":
		return call.Name + "  " + clip(args.Title)
	}
	return call.Name + "  " + clip(string(call.Args))
}

func orOpen(s string) string {
	if s == "" {
		return "…"
	}
	return s
}

// describeResult says in one line what came of it.
func describeResult(d *agent.ToolEnded) string {
	var r tools.Data
	if len(d.Data) == 0 || json.Unmarshal(d.Data, &r) != nil {
		return ""
	}
	var parts []string
	if s := r.Dataset; s != nil {
		n := 0
		if len(s.Shape) > 0 {
			n = s.Shape[0]
		}
		parts = append(parts, plural(n, "record"))
		if missing := n - s.NValid; missing > 0 {
			parts = append(parts, fmt.Sprintf("%d missing", missing))
		}
		if c := wording.Interval(s.Cadence()); c != "" {
			parts = append(parts, "every "+c)
		}
		if s.Units != "" {
			parts = append(parts, s.Units)
		}
	} else if n := len(r.Values); n > 0 {
		parts = append(parts, plural(n, "value"))
	}
	if n := len(r.Figures); n > 0 {
		parts = append(parts, plural(n, "figure"))
	}
	if r.Script != nil {
		parts = append(parts, fmt.Sprintf("%.1f s", r.Script.Seconds))
	}
	return printable(strings.Join(parts, ", "))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func firstError(r *llm.ToolResult) string {
	if r == nil {
		return "failed"
	}
	text := r.Text()
	var payload struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(text), &payload) == nil && payload.Error != "" {
		text = payload.Error
	}
	return clip(text)
}

// printable drops control characters: what comes from a file or a model must
// not steer the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
}
