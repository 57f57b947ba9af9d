// Package tools holds what HelioAI's agents can do: find parameters, fetch
// time series, run Python and recipes in the sandbox, compute plasma quantities,
// show a plan, and close with an answer whose numbers are checked.
//
//	env := &tools.Env{Dir: dir, Archive: arch, Ledger: book, Sandbox: box}
//	lead := agent.Agent{Model: model, Tools: tools.All(env)}
//
// Every value that a tool computes goes into the ledger with its origin; every
// result carries a [Data] for programs (the terminal, the notebook) beside the
// text for the model. Bad input gives the model one sentence that says what to
// do; nothing half written stays behind.
//
// The session's folder is also the workspace of model-written programs, so it
// is written to as if they had prepared it: through [os.Root], new files only,
// replaced by renaming.
package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/tool"
)

// An Env is what the tools of one session work with. It must not be changed
// once [All] was called. The tools are safe for concurrent use.
type Env struct {
	User    string
	Session string
	Dir     string // the session's folder, which exists
	Archive archive.Archive

	// Question is what the user asked, as far as it is known: the numbers that
	// an answer repeats from it need no source.
	Question string

	// Sandbox runs Python; nil where there is none, and then run_python and
	// run_recipe are not offered. SandboxNote says why, in one sentence.
	Sandbox     *sandbox.Sandbox
	SandboxNote string

	Ledger *ledger.Ledger // nil: nothing is recorded, and every number is unsourced

	// CacheDir keeps what is the same for every session and takes long to make:
	// matplotlib's font list. "" keeps nothing, and each run that draws makes
	// it anew, which takes a fraction of a second or more.
	CacheDir string

	Clock func() time.Time // nil: time.Now
}

func (e *Env) now() time.Time {
	if e.Clock != nil {
		return e.Clock()
	}
	return time.Now()
}

// All returns the tools of a session.
func All(env *Env) []tool.Tool {
	all := []tool.Tool{
		searchParameters(env), getTimeseries(env),
		plasmaBeta(env), gyrofrequency(env), debyeLength(env), alfvenSpeed(env), inertialLength(env),
		listRecipes(), loadRecipe(),
		presentPlan(), finalAnswer(env),
	}
	if env.Sandbox != nil {
		all = append(all, runPython(env), runRecipe(env))
	}
	return all
}

// reply makes the result of a call: text for the model, data for programs.
func reply(forModel any, data *Data) (tool.Result, error) {
	text, err := encode(forModel)
	if err != nil {
		return tool.Result{}, err
	}
	return withData(tool.Text(text), data)
}

// failure is a result that tells the model what went wrong in more than a
// sentence: an object with the key "error".
func failure(forModel any, data *Data) (tool.Result, error) {
	r, err := reply(forModel, data)
	r.IsError = true
	return r, err
}

func withData(r tool.Result, data *Data) (tool.Result, error) {
	if data == nil {
		return r, nil
	}
	text, err := encode(data)
	if err != nil {
		return tool.Result{}, err
	}
	r.Data = json.RawMessage(text)
	return r, nil
}

// encode is json.Marshal without the escapes that only HTML needs.
func encode(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimRight(b.Bytes(), "\n")), nil
}

// record puts values into the ledger under the origin of this call.
func (e *Env) record(ctx context.Context, origin ledger.Origin, values []ledger.Entry) error {
	origin.Call = tool.CallFrom(ctx).ID
	for i := range values {
		values[i].Origin, values[i].Created = origin, e.now().UTC().Truncate(time.Millisecond)
	}
	if e.Ledger == nil {
		return nil
	}
	return e.Ledger.Add(values...)
}

func names(values []ledger.Entry) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.Name
	}
	return out
}

func progress(ctx context.Context, text string) {
	if text != "" {
		tool.CallFrom(ctx).Progress(llm.Text(text))
	}
}
