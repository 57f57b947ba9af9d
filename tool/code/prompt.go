package code

import (
	"fmt"
	"slices"
	"strings"
)

// Prompt is a section for the instructions of an agent that has the tool
// [Code.Execute]: what the interpreter is, what is bound in it, which functions
// there are, what predict and submit want and allow, how much output is shown, and
// how the run ends. It is the same each time, so it may stand in a cached prefix.
func (c *Code) Prompt() string {
	d := dialectOf(c.runtime)
	var b strings.Builder
	fmt.Fprintf(&b, "# Code\n\nYou work by writing %s: the tool Execute runs a cell in an interpreter that is yours for the whole session. "+
		"Variables and functions stay from cell to cell, also after a cell that failed.\n", languageName(c.runtime))
	if help := strings.TrimSpace(c.help); help != "" {
		b.WriteString("\n" + help + "\n")
	}
	c.promptInputs(&b, d)
	c.promptFunctions(&b, d)
	c.promptPredict(&b, d)
	c.promptWork(&b)
	c.promptSubmit(&b, d)
	return b.String()
}

func (c *Code) promptInputs(b *strings.Builder, d *dialect) {
	if len(c.opts.Inputs) == 0 {
		return
	}
	b.WriteString("\n## Input\n\nThese variables are bound already:\n")
	for i := range c.opts.Inputs {
		in := &c.opts.Inputs[i]
		fmt.Fprintf(b, "- %s: %s%s\n", in.Name, in.typ(d), dash(in.Doc))
	}
}

func (c *Code) promptFunctions(b *strings.Builder, d *dialect) {
	if len(c.opts.Functions) == 0 {
		return
	}
	b.WriteString("\n## Functions\n\nThese functions of the host can be called from cells, by position or by name; what they throw can be caught:\n")
	for i := range c.opts.Functions {
		f := &c.opts.Functions[i]
		fmt.Fprintf(b, "- %s%s\n", f.signature(d), dash(f.Doc))
		for j := range f.params {
			p := &f.params[j]
			optional := ""
			if !slices.Contains(f.must, p.Name) {
				optional = "[optional] "
			}
			if p.Description != "" || optional != "" {
				fmt.Fprintf(b, "  - %s%s (%s)%s\n", optional, p.Name, d.typ(&p.shape, 0), dash(p.Description))
			}
		}
	}
}

func (c *Code) promptPredict(b *strings.Builder, d *dialect) {
	p := c.opts.Predict
	if p == nil {
		return
	}
	text := d.names["string"]
	fmt.Fprintf(b, "\n## predict\n\n"+
		"- predict(instructions: %s, input: %s)%s%s has a language model do what the instructions say with the input, and returns its answer as text.\n"+
		"- It sees nothing but these two strings: no variable, no earlier call, nothing of this conversation. Put all that it needs to know into them, and tell it the form of the answer.\n"+
		"- Compute what code can compute; use predict for reading, judging and writing, in pieces of moderate length, in a loop where there are many.\n"+
		"- Budget: at most %d calls in this session, failed ones included. Beyond it predict throws SandboxBudgetExceeded. Try out on one piece before you loop over all.\n",
		text, text, d.result, text, p.MaxCalls)
}

func (c *Code) promptWork(b *strings.Builder) {
	fmt.Fprintf(b, "\n## How to work\n\n"+
		"- Explore first: print sizes, types and a few elements before you compute.\n"+
		"- Keep what you will need again in variables. Of what a cell prints you are shown about %d bytes; variables keep their whole values, so print only what you have to read.\n"+
		"- A cell may compute for %s; time spent in functions of the host does not count. One cell runs at a time.\n"+
		"- A cell that fails tells why; correct it and go on, earlier variables are still there. When you are told that the interpreter is new, they are not: compute again what you need.\n",
		c.opts.ModelBytes, seconds(c.opts.Timeout.Seconds()))
}

func (c *Code) promptSubmit(b *strings.Builder, d *dialect) {
	s := c.opts.Submit
	if s == nil {
		return
	}
	b.WriteString("\n## How the run ends\n\n- The run ends when you call submit(output) and the output is accepted. Call it once, as the only statement of a cell of its own, when you have looked at the value.\n")
	if s.Schema != nil {
		out := shapeOf(s.Schema.JSON)
		fmt.Fprintf(b, "- output: %s\n", d.typ(&out, 0))
		for i := range out.Properties {
			p := &out.Properties[i]
			optional := ""
			if !slices.Contains(out.Required, p.Name) {
				optional = "[optional] "
			}
			fmt.Fprintf(b, "  - %s%s: %s%s\n", optional, p.Name, d.typ(&p.shape, 1), dash(p.Description))
		}
	}
	b.WriteString("- An output that does not fit is refused with a list of all that is wrong; fix the value and call submit again. What was accepted cannot be changed.\n")
}

// dash is what stands before a description.
func dash(doc string) string {
	if doc = strings.TrimSpace(doc); doc == "" {
		return ""
	}
	return " - " + strings.ReplaceAll(doc, "\n", " ")
}

func seconds(n float64) string {
	return fmt.Sprintf("%.3g seconds", n)
}
