package compat

import (
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

// submitName is the tool whose arguments are the answer, where a schema cannot be
// had otherwise.
const submitName = "submit_answer"

// tools fills in the tools, what the model may do with them, and the schema of the
// answer, which may have to be a tool.
func (b *builder) tools(out *body) error {
	choice := b.req.Choice
	for i := range b.req.Tools {
		spec := &b.req.Tools[i]
		if b.dropped() || b.only() && !slices.Contains(choice.Names, spec.Name) {
			continue
		}
		if err := b.tool(out, spec); err != nil {
			return err
		}
	}
	if err := b.output(out); err != nil {
		return err
	}
	if len(out.Tools) == 0 {
		return nil
	}
	if b.d.Parallel {
		out.Parallel = new(true)
	}
	switch {
	case choice.Mode == llm.ChoiceNamed && len(choice.Names) == 1 && b.d.ForceOne:
		out.ToolChoice = one(b.names.Out(choice.Names[0]))
	case choice.Mode == llm.ChoiceAny, choice.Mode == llm.ChoiceNamed, b.submit != "":
		b.force(out)
	case choice.Mode == llm.ChoiceNone:
		out.ToolChoice = "none"
	}
	return nil
}

// dropped reports whether the tools stay out. They are given as a rule even when
// none may be called, since servers refuse a history with calls without them.
func (b *builder) dropped() bool {
	return b.req.Choice.Mode == llm.ChoiceNone && (b.d.DropTools || b.req.Output != nil && !b.d.WithTools)
}

// only reports whether the model is given the chosen tools alone, since the
// choice itself cannot say which they are.
func (b *builder) only() bool {
	c := &b.req.Choice
	return c.Mode == llm.ChoiceNamed && (len(c.Names) > 1 || !b.d.ForceOne)
}

// force wants a call, of any of the tools.
func (b *builder) force(out *body) {
	switch {
	case b.d.ForceAny:
		out.ToolChoice = "required"
	case len(out.Tools) == 1 && b.d.ForceOne:
		out.ToolChoice = one(out.Tools[0].Function.Name)
	case b.submit == "":
		b.told = append(b.told, "Answer with a call of one of your tools, not with text.")
	}
}

func one(name string) *named {
	n := &named{Type: "function"}
	n.Function.Name = name
	return n
}

func (b *builder) tool(out *body, spec *llm.ToolSpec) error {
	parameters, err := b.m.schemas.Schema(spec.Input, adapt.Chat)
	if err != nil {
		return b.m.conn.Invalid("the tool %q: %w", spec.Name, err)
	}
	out.Tools = append(out.Tools, tool{Type: "function", Function: function{
		Name: b.names.Out(spec.Name), Description: spec.Description, Parameters: parameters.JSON,
	}})
	return nil
}

// output says what the answer has to look like.
func (b *builder) output(out *body) error {
	want := b.req.Output
	if want == nil {
		return nil
	}
	d := adapt.Chat
	if b.d.Strict && b.d.Output == OutputSchema {
		d = adapt.OpenAIStrict
	}
	adapted, err := b.m.schemas.Schema(want.JSON, d)
	if err != nil {
		return b.m.conn.Invalid("the schema %q of the answer: %w", want.Name, err)
	}
	native := b.d.Output != OutputTool && (b.d.WithTools || len(out.Tools) == 0)
	switch {
	case native && b.d.Output == OutputSchema:
		name := strings.Map(func(r rune) rune {
			if r == '_' || r == '-' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
				return r
			}
			return '_'
		}, or(want.Name, "output"))
		out.Format = &format{Type: "json_schema", Schema: &schema{Name: name[:min(len(name), adapt.MaxName)], Schema: adapted.JSON, Strict: adapted.Strict}}
	case native:
		out.Format = &format{Type: "json_object"}
		b.told = append(b.told, "Your answer is one JSON object and nothing else. It fits this JSON Schema: "+string(adapted.JSON))
	case b.req.Choice.Mode == llm.ChoiceAny, b.req.Choice.Mode == llm.ChoiceNamed:
		// The caller wants a call of a tool of its own, and no answer yet.
	default:
		b.submit = b.free(submitName)
		out.Tools = append(out.Tools, tool{Type: "function", Function: function{
			Name: b.submit, Description: "Gives the final answer. Call it alone, once everything is known.", Parameters: adapted.JSON,
		}})
		b.told = append(b.told, "Give your final answer by calling the tool "+b.submit+", not as text.")
	}
	return nil
}

// free is a name that no tool of the request has.
func (b *builder) free(name string) string {
	for slices.ContainsFunc(b.req.Tools, func(t llm.ToolSpec) bool { return b.names.Out(t.Name) == name }) {
		name += "_"
	}
	return name
}
