package notebook

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/tools"
)

// VerdictEvent names the custom event that holds the verdict on an answer that
// was given without the final tool.
const VerdictEvent = "verdict"

// FromLog folds the events of a session into a Doc. What is not needed here is
// passed over. The caller sets Workspace, Name, Program and Generated.
func FromLog(events iter.Seq2[agent.Event, error]) (*Doc, error) {
	doc := &Doc{}
	for event, err := range events {
		if err != nil {
			return nil, fmt.Errorf("read the session: %w", err)
		}
		doc.take(event)
	}
	return doc, nil
}

func (d *Doc) take(event agent.Event) {
	switch e := event.Data.(type) {
	case *agent.SessionOpened:
		d.User, d.Model = e.User, e.Model
	case *agent.UserMessage:
		if text := strings.TrimSpace(e.Message.Text()); text != "" && (e.Origin == "" || e.Origin == agent.OriginUser) {
			d.ask(text)
		}
	case *agent.ModelMessage:
		d.Model = e.Model
	case *agent.ToolEnded:
		var data tools.Data
		if json.Unmarshal(e.Data, &data) == nil && data.Tool != "" {
			d.add(data)
		}
	case *agent.Custom:
		verdict := &check.Verdict{}
		if e.Name == VerdictEvent && json.Unmarshal(e.Data, verdict) == nil {
			d.turn().Verdict = verdict
		}
	case *agent.RunEnded:
		if t := d.turn(); t.Answer == "" && e.Result != nil {
			t.Answer = e.Result.Text
		}
	}
}

// ask begins a turn; what is said before an answer belongs to the same one.
func (d *Doc) ask(text string) {
	if n := len(d.Turns); n > 0 && d.Turns[n-1].Answer == "" {
		d.Turns[n-1].Question = strings.TrimSpace(d.Turns[n-1].Question + "\n\n" + text)
		return
	}
	d.Turns = append(d.Turns, Turn{Question: text})
}

func (d *Doc) turn() *Turn {
	if len(d.Turns) == 0 {
		d.Turns = append(d.Turns, Turn{})
	}
	return &d.Turns[len(d.Turns)-1]
}

func (d *Doc) add(data tools.Data) {
	t := d.turn()
	if data.Tool == "final_answer" {
		t.Answer, t.Unanswered, t.Verdict = data.Answer, data.Unanswered, data.Verdict
		return
	}
	t.Results = append(t.Results, data)
}
