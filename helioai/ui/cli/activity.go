package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/helioai/wording"
	"github.com/helios-go/helios/llm"
)

// activity shows what a run does while it does it, a line for each step.
type activity struct {
	*live
	running []running // in the order in which they began
	thought string    // the end of what the model thinks at the moment
	writes  bool      // the model writes text
	asked   agent.Seq // the question's place in the log; 0 before it is there
	taken   bool      // a run has taken the question
}

// running is a tool that has not come to its end.
type running struct {
	id, name string
	since    time.Time
}

func newActivity(w io.Writer) *activity { return &activity{live: newLive(w)} }

func (a *activity) open(question, model string, demo bool) {
	a.line(wrap(a.w, strong.Render("?")+" "+oneLine(question)))
	if model != "" {
		a.line(faint.Render("  asking " + clip(model)))
	}
	if demo {
		a.line(faint.Render("  no --data given: asking the synthetic demo data"))
	}
}

// note tells something that is no step of the run.
func (a *activity) note(text string) { a.line(caution.Render("! " + text)) }

// event shows one event of the run.
func (a *activity) event(e agent.Event) {
	switch d := e.Data.(type) {
	case *agent.UserMessage:
		if a.asked == 0 {
			a.asked = e.Seq
		}
	case *agent.RunEnded:
		if !a.taken && a.asked != 0 {
			a.before(d.Result)
		}
	case *agent.TurnStarted:
		a.taken = a.taken || slices.Contains(d.Took, a.asked)
		a.thought, a.writes = "", false
		a.show("thinking", time.Now())
	case *agent.ThinkingDelta:
		a.thinks(d.Text)
	case *agent.TextDelta:
		if !a.writes {
			a.writes = true
			a.show("writing", time.Now())
		}
	case *agent.ModelMessage:
		a.said(&d.Message)
	case *agent.ToolStarted:
		if d.Call.Name == "final_answer" {
			return
		}
		now := running{d.Call.ID, d.Call.Name, time.Now()}
		a.running = append(a.running, now)
		a.line(faint.Render("→ " + printable(describeCall(d.Call))))
		a.show(now.name, now.since)
	case *agent.ToolProgress:
		a.progress(clip(d.Part.Text))
	case *agent.ToolEnded:
		a.ended(d)
	case *agent.ModelRetried:
		reason := d.Reason
		if i := strings.LastIndex(reason, "; "); i > 0 {
			reason = reason[:i] // what its reader could do is being done
		}
		a.line(caution.Render("! the model call failed and is made again: " + clip(reason)))
	}
}

// before shows the end of the run that a crash had cut short. The session goes on
// with it first, and nobody has seen its answer.
func (a *activity) before(r *agent.Result) {
	text := "the question before was cut short, and is answered first: "
	if r.Err != nil || r.Stop != agent.StopDone {
		text = "the question before was cut short, and could not be answered: "
	}
	said := r.Text
	var final tools.Data
	switch {
	case r.Stop != agent.StopDone && r.Err != nil:
		said = r.Err.Error()
	case json.Unmarshal(r.Output, &final) == nil && final.Answer != "":
		said = final.Answer
	}
	a.line(wrap(a.w, caution.Render("! "+text)+printable(said)))
	took := "  it took " + grouped(r.Usage.Total()) + " tokens"
	if r.Cost > 0 {
		took += ", " + cost(r.Cost)
	}
	a.line(faint.Render(took))
}

// thinks shows the end of the model's thoughts beside the status.
func (a *activity) thinks(text string) {
	const kept = 200
	all := []rune(a.thought + text)
	a.thought = string(all[max(0, len(all)-kept):])
	line := []rune(oneLine(a.thought))
	const shown = 60
	if len(line) > shown {
		line = append([]rune("…"), line[len(line)-shown:]...)
	}
	a.progress(string(line))
}

// said shows what a model thought, and what it said beside its calls: a line each.
func (a *activity) said(m *llm.Message) {
	calls := false
	for i := range m.Parts {
		calls = calls || m.Parts[i].Kind == llm.PartCall
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		text := clip(p.Text)
		switch {
		case text == "":
		case p.Kind == llm.PartThinking:
			a.line(faint.Render("~ " + text))
		case p.Kind == llm.PartText && calls:
			a.line(faint.Render("· " + text))
		}
	}
}

func (a *activity) ended(d *agent.ToolEnded) {
	a.running = slices.DeleteFunc(a.running, func(r running) bool { return d.Result != nil && r.id == d.Result.ID })
	if n := len(a.running); n > 0 {
		a.show(a.running[n-1].name, a.running[n-1].since)
	} else {
		a.show("", time.Time{})
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
	return clip(s)
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
	return clip(strings.Join(parts, ", "))
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
