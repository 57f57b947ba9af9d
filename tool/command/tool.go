package command

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// arguments is what the model sends.
type arguments struct {
	Args    []string `json:"args"`
	Stdin   string   `json:"stdin"`
	Timeout float64  `json:"timeout_seconds"`
}

// Tool returns the tool: with args, and stdin and timeout_seconds if the grant
// has them. Its text begins with a line [exit N], with TIMEOUT and TRUNCATED in
// the brackets where they apply, and goes on with standard output and, if the
// grant shows it and there is any, a section [stderr]. Its Data is the [Result].
// A program that fails is not an error of the tool.
func (c *Command) Tool() tool.Tool {
	g := &c.grant
	opts := []tool.Option{
		tool.WithEffect(g.Effect), tool.WithKind(g.Kind),
		// The time that ending takes is no reason to give up on the call.
		tool.WithTimeout(max(g.Timeout, g.MaxTimeout) + g.Grace + 10*time.Second),
	}
	if g.Kind == tool.KindDefault {
		opts[1] = tool.WithKind(tool.KindExecute)
	}
	if g.Key != nil {
		opts = append(opts, tool.WithKey(c.key))
	}
	return tool.Raw(llm.ToolSpec{Name: g.toolName(c.path), Description: c.doc(), Input: c.schema()}, c.call, opts...)
}

func (c *Command) doc() string {
	doc := c.grant.Doc
	if doc == "" {
		doc = "Run " + c.grant.toolName(c.path) + "."
	}
	return doc + "\nIt gets its arguments as they are: there is no shell, so quotes, wildcards, pipes and variables mean nothing."
}

func (c *Command) schema() json.RawMessage {
	properties := map[string]any{"args": map[string]any{
		"type": "array", "items": map[string]any{"type": "string"},
		"description": "the arguments after the program's name, one element each",
	}}
	if c.grant.Stdin {
		properties["stdin"] = map[string]any{"type": "string", "description": "what the program reads on standard input"}
	}
	if most := c.grant.MaxTimeout; most != 0 {
		properties["timeout_seconds"] = map[string]any{
			"type": "number", "exclusiveMinimum": 0,
			"description": fmt.Sprintf("when to end the program; %g if left out, at most %g", c.grant.Timeout.Seconds(), most.Seconds()),
		}
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": []string{"args"}, "additionalProperties": false,
	})
	if err != nil {
		panic(err) // there are strings and numbers in it
	}
	return schema
}

func (c *Command) input(args json.RawMessage) (Input, error) {
	var a arguments
	if err := json.Unmarshal(args, &a); err != nil {
		return Input{}, err
	}
	if a.Args == nil {
		return Input{}, errors.New("args is missing; it is a list of strings, and may be empty")
	}
	in := Input{Args: a.Args, Stdin: a.Stdin}
	if most := c.grant.MaxTimeout; a.Timeout > 0 {
		in.Timeout = most
		if a.Timeout < most.Seconds() {
			in.Timeout = max(1, time.Duration(a.Timeout*float64(time.Second)))
		}
	}
	return in, nil
}

// key is the grant's, and says what is read: the same arguments do something else
// with another standard input.
func (c *Command) key(args json.RawMessage) (string, error) {
	in, err := c.input(args)
	if err != nil {
		return "", err
	}
	key, err := c.grant.Key(in.Args)
	if err == nil && in.Stdin != "" {
		key += fmt.Sprintf(" < sha256:%x", sha256.Sum256([]byte(in.Stdin)))
	}
	return key, err
}

func (c *Command) call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	in, err := c.input(args)
	if err != nil {
		return tool.Result{}, err
	}
	res, err := c.Run(ctx, in)
	if err != nil {
		return tool.Result{}, err
	}
	data, err := json.Marshal(res)
	if err != nil {
		return tool.Result{}, err
	}
	out := tool.Text(res.text(c.grant.Stderr))
	out.Data = data
	return out, nil
}
