package sdkcheck

import (
	"context"
	"strings"

	sdk "google.golang.org/genai/interactions"
	"google.golang.org/genai/interactions/models/components"
	"google.golang.org/genai/interactions/models/interactions"
	"google.golang.org/genai/interactions/models/operations"
	"google.golang.org/genai/interactions/retry"

	"github.com/helios-go/helios/llm"
)

// geminiCreate begins an interaction with the official client, which tries once.
// Its package genai makes the same client of an environment's settings, and brings
// gRPC and the sign-in of a cloud along.
func geminiCreate(ctx context.Context, at Place, m interactions.CreateModelInteraction) (*operations.CreateInteractionResponse, error) {
	client := sdk.New(sdk.WithServerURL(at.Base), sdk.WithAPIVersion("v1beta"), sdk.WithClient(at.HTTP),
		sdk.WithSecurity(components.Security{APIKey: new("test")}))
	m.Stream = new(true)
	return client.Interactions.Create(ctx, operations.CreateInteractionRequest{Body: operations.NewCreateInteractionRequestBody(m)},
		operations.WithRetries(retry.Config{Strategy: "none"}))
}

// geminiStream drains a stream with the official client, which gives events and
// leaves it to its user to put them together: here.
func geminiStream(ctx context.Context, at Place) *Answer {
	created, err := geminiCreate(ctx, at, interactions.CreateModelInteraction{
		Model: "gemini-3.8-flash", Input: new(interactions.NewInteractionsInput("hi")),
	})
	if err != nil {
		return &Answer{Err: err}
	}
	stream := created.InteractionSSEStreamEvent
	defer stream.Close()
	g := geminiAnswer{}
	for stream.Next() {
		g.add(&stream.Value().Data)
	}
	return g.answer(stream.Err())
}

// A geminiAnswer gathers the events of one stream, or of several that continue
// each other.
type geminiAnswer struct {
	steps  []*geminiStep
	open   map[int]*geminiStep
	usage  llm.Usage
	status interactions.InteractionSseEventInteractionStatus
}

type geminiStep struct {
	kind                        interactions.StepType
	text, signature, args       strings.Builder
	id, name                    string
	annotations, block, started string
	deltas                      []string
}

func (g *geminiAnswer) add(e *interactions.InteractionSSEEvent) {
	switch {
	case e.InteractionCreatedEvent != nil:
		g.open = map[int]*geminiStep{} // each stream counts from 0
	case e.StepStart != nil:
		s := newGeminiStep(&e.StepStart.Step)
		g.steps = append(g.steps, s)
		g.open[e.StepStart.Index] = s
	case e.StepDelta != nil:
		if s := g.open[e.StepDelta.Index]; s != nil {
			s.add(&e.StepDelta.Delta)
		}
	case e.InteractionCompletedEvent != nil:
		i := &e.InteractionCompletedEvent.Interaction
		g.status = i.Status
		if u := i.Usage; u != nil {
			cached := number(u.TotalCachedTokens)
			g.usage = g.usage.Add(llm.Usage{
				Input:     number(u.TotalInputTokens) + number(u.TotalToolUseTokens) - cached,
				CacheRead: cached,
				Output:    number(u.TotalOutputTokens) + number(u.TotalThoughtTokens),
			})
		}
	}
}

func newGeminiStep(step *interactions.Step) *geminiStep {
	s := &geminiStep{kind: step.Type}
	switch {
	case step.ModelOutputStep != nil:
		for _, c := range step.ModelOutputStep.Content {
			if c.TextContent != nil {
				s.text.WriteString(c.TextContent.Text)
			}
		}
	case step.ThoughtStep != nil:
		for _, c := range step.ThoughtStep.Summary {
			if c.TextContent != nil {
				s.text.WriteString(c.TextContent.Text)
			}
		}
		s.signature.WriteString(text(step.ThoughtStep.Signature))
	case step.FunctionCallStep != nil:
		s.id, s.name = step.FunctionCallStep.ID, step.FunctionCallStep.Name
		if len(step.FunctionCallStep.Arguments) > 0 {
			s.started = written(step.FunctionCallStep.Arguments)
		}
	default:
		s.block = written(step)
	}
	return s
}

func (s *geminiStep) add(d *interactions.StepDeltaData) {
	switch {
	case d.TextDelta != nil:
		s.text.WriteString(d.TextDelta.Text)
	case d.ThoughtSummaryDelta != nil:
		if c := d.ThoughtSummaryDelta.Content; c != nil && c.TextContent != nil {
			s.text.WriteString(c.TextContent.Text)
		}
	case d.ThoughtSignatureDelta != nil:
		s.signature.WriteString(text(d.ThoughtSignatureDelta.Signature))
	case d.ArgumentsDelta != nil:
		s.args.WriteString(text(d.ArgumentsDelta.Arguments))
	case d.TextAnnotationDelta != nil:
		s.annotations = written(map[string]any{"annotations": d.TextAnnotationDelta.Annotations})
	case d.UnknownRaw != nil && s.kind == interactions.StepTypeModelOutput: // nobody knows what it adds to a text
	default:
		s.deltas = append(s.deltas, written(d))
	}
}

func (s *geminiStep) parts() []Part {
	switch s.kind {
	case interactions.StepTypeModelOutput:
		parts := []Part{{Kind: "text", Text: s.text.String(), Extra: s.annotations}}
		for _, d := range s.deltas {
			parts = append(parts, Part{Kind: "block", Block: d})
		}
		return parts
	case interactions.StepTypeThought:
		return []Part{{Kind: "thinking", Text: s.text.String(), Signature: s.signature.String()}}
	case interactions.StepTypeFunctionCall:
		args := s.args.String()
		if args == "" {
			args = s.started
		}
		return []Part{{Kind: "call", ID: s.id, Name: s.name, Args: args}}
	}
	block := s.block
	for _, d := range s.deltas {
		block = join(block, without(d, "type"))
	}
	return []Part{{Kind: "block", Block: block}}
}

func (g *geminiAnswer) answer(err error) *Answer {
	a := &Answer{Err: err, Usage: g.usage}
	for _, s := range g.steps {
		a.Parts = append(a.Parts, s.parts()...)
	}
	a.Stop = llm.FinishReason(g.status)
	switch g.status {
	case interactions.InteractionSseEventInteractionStatusCompleted, interactions.InteractionSseEventInteractionStatusRequiresAction:
		a.Stop = llm.FinishStop
		for _, p := range a.Parts {
			if p.Kind == "call" {
				a.Stop = llm.FinishToolCalls
			}
		}
	case interactions.InteractionSseEventInteractionStatusIncomplete:
		a.Stop = llm.FinishLength
	}
	return a
}

func number(n *int) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
