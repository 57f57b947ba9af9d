package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
)

// A Compactor makes room in a conversation that is about to outgrow the model's
// window. It returns other messages that say about the same, with every call
// still followed by its results; returning as many tokens as before is no error,
// but of no use. It is safe for concurrent use.
type Compactor interface {
	Compact(ctx context.Context, c *Compaction) (*Compacted, error)
}

// A Compaction is the task of a [Compactor].
type Compaction struct {
	Messages []llm.Message // the session's: do not change them, make others
	Target   int64         // tokens that the result should not exceed
	Model    llm.Model     // the session's
	// Tokens estimates messages, corrected by what the model has reported.
	Tokens func([]llm.Message) int64
	// Afford is an error that matches ErrMoney when the run has no money for another
	// call, after what the models of Compacted have been used for so far.
	Afford func(*Compacted) error
}

// Compacted is what a [Compactor] has made.
type Compacted struct {
	Messages []llm.Message
	Model    string    // that was asked, "" for none
	Usage    llm.Usage // of what was asked
}

// NoCompaction leaves conversations as they are, until the model refuses them.
var NoCompaction Compactor = noCompaction{}

type noCompaction struct{}

func (noCompaction) Compact(_ context.Context, c *Compaction) (*Compacted, error) {
	return &Compacted{Messages: c.Messages}, nil
}

// TwoStage is the [Compactor] of agents that name none. First it shortens old
// tool results, which costs nothing. If that is not enough, it has a model
// summarise the middle of the conversation, and keeps the first message and the
// latest ones as they are.
type TwoStage struct {
	// Model writes the summary; nil is the session's.
	Model llm.Model
	// Prompt tells it how; "" is a prompt that keeps the goal, facts with their
	// sources, decisions and open questions.
	Prompt string
	// Timeout is how long a summary may take, by default two minutes. Beyond it the
	// conversation stays as it is.
	Timeout time.Duration
}

const summaryPrompt = `Summarise the conversation below for the assistant that will go on with it and can no longer see it. ` +
	`Keep: what the user wants, facts that were found with numbers, units, times and where they come from, ` +
	`names of files and identifiers, decisions and their reasons, what failed, what is still open. ` +
	`Leave out: how it was said, tool chatter. Plain text, at most 400 words.`

// summaryHeading begins the message that stands for what was summarised.
const summaryHeading = "[Summary of the earlier conversation]\n"

// keptResult is how much of an old tool result is left, in bytes.
const keptResult = 200

// Compact implements [Compactor].
func (t TwoStage) Compact(ctx context.Context, c *Compaction) (*Compacted, error) {
	groups := group(c.Messages)
	if len(groups) == 0 {
		return &Compacted{Messages: c.Messages}, nil
	}
	// The latest groups stay as they are, as long as they take no more than half.
	tail := len(groups) - 1
	for tail > 1 && c.Tokens(flatten(groups[tail-1:])) <= c.Target/2 {
		tail--
	}
	short := append(shorten(flatten(groups[:tail]), keptResult), flatten(groups[tail:])...)
	if c.Tokens(short) <= c.Target {
		return &Compacted{Messages: short}, nil
	}
	if tail < 2 {
		// Nothing lies between the beginning and the end: the end itself is too long.
		return &Compacted{Messages: shorten(c.Messages, int(max(c.Target, 1)))}, nil
	}
	head, middle, last := groups[0], groups[1:tail], groups[tail:]
	out := &Compacted{}
	summary, err := t.summarise(ctx, c, middle, out)
	if err != nil {
		return out, err
	}
	out.Messages = append(shorten(head, keptResult), note(OriginSummary, summaryHeading+summary))
	out.Messages = append(out.Messages, flatten(last)...)
	if c.Tokens(out.Messages) > c.Target {
		out.Messages = shorten(out.Messages, int(max(c.Target, 1)))
	}
	return out, nil
}

// summarise has the model read the groups in pieces that fit, each with the
// summary of those before.
func (t TwoStage) summarise(ctx context.Context, c *Compaction, groups [][]llm.Message, out *Compacted) (string, error) {
	m := t.Model
	if m == nil {
		m = c.Model
	}
	prompt := t.Prompt
	if prompt == "" {
		prompt = summaryPrompt
	}
	out.Model = m.Name()
	timeout := t.Timeout
	if timeout <= 0 {
		timeout = 2 * time.Minute
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("it took longer than %s", timeout))
	defer cancel()
	piece := int(max(c.Target, 1000)) * bytesPerToken / 2 // half of what fits, in bytes
	text, summary := render(flatten(groups)), ""
	for len(text) > 0 {
		part := cut(text, piece)
		if len(part) == 0 {
			part = text
		}
		text = text[len(part):]
		if summary != "" {
			part = summaryHeading + summary + "\n\n" + part
		}
		resp, err := llm.Generate(ctx, m, &llm.Request{
			System:   []llm.Part{llm.Text(prompt)},
			Messages: []llm.Message{llm.User(part)},
		})
		out.Usage = out.Usage.Add(resp.Usage)
		if err == nil && len(text) > 0 {
			err = c.afford(out)
		}
		if err != nil {
			return "", fmt.Errorf("summarise with %s: %w", m.Name(), err)
		}
		if summary = strings.TrimSpace(resp.Text()); summary == "" {
			return "", fmt.Errorf("summarise with %s: %w", m.Name(), errors.New("it said nothing"))
		}
	}
	return summary, nil
}

// afford is Afford, of which those who test a compactor need know nothing.
func (c *Compaction) afford(out *Compacted) error {
	if c.Afford == nil {
		return nil
	}
	return c.Afford(out)
}

// group cuts a conversation into pieces that stay whole: a message, or an
// assistant's message with the results of its calls.
func group(messages []llm.Message) [][]llm.Message {
	var groups [][]llm.Message
	for i := 0; i < len(messages); {
		n := 1
		for i+n < len(messages) && messages[i+n].Role == llm.RoleTool {
			n++
		}
		groups = append(groups, messages[i:i+n])
		i += n
	}
	return groups
}

func flatten(groups [][]llm.Message) []llm.Message {
	var all []llm.Message
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// shorten copies messages with tool results of at most so many bytes of text, and
// without the media in them.
func shorten(messages []llm.Message, most int) []llm.Message {
	out := append([]llm.Message(nil), messages...)
	for i := range out {
		if out[i].Role != llm.RoleTool {
			continue
		}
		out[i].Parts = append([]llm.Part(nil), out[i].Parts...)
		for j := range out[i].Parts {
			if p := &out[i].Parts[j]; p.Result != nil {
				p.Result = shortResult(p.Result, most)
			}
		}
	}
	return out
}

func shortResult(r *llm.ToolResult, most int) *llm.ToolResult {
	text := r.Text()
	plain := len(r.Parts) == 1 && r.Parts[0].Kind == llm.PartText
	if plain && len(text) <= most {
		return r
	}
	short := *r
	kept := cut(text, most)
	if len(kept) < len(text) || !plain {
		kept += fmt.Sprintf("\n[the rest was left out to save room: %d bytes of text in all]", len(text))
	}
	short.Parts = []llm.Part{llm.Text(kept)}
	return &short
}

// render writes messages as text for a model that summarises them.
func render(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		for i := range m.Parts {
			switch p := &m.Parts[i]; {
			case p.Kind == llm.PartText:
				fmt.Fprintf(&b, "%s: %s\n", m.Role, p.Text)
			case isCall(p):
				fmt.Fprintf(&b, "%s calls %s %s\n", m.Role, p.Call.Name, cut(string(p.Call.Args), 2000))
			case p.Result != nil:
				fmt.Fprintf(&b, "%s returns: %s\n", p.Result.Name, cut(p.Result.Text(), 4000))
			case p.Kind == llm.PartMedia || p.Kind == llm.PartFile:
				fmt.Fprintf(&b, "%s shows a file\n", m.Role)
			}
		}
	}
	return b.String()
}
