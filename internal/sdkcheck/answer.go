package sdkcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/helios-go/helios/llm"
)

// An Answer is what a client has made of a stream, in a shape that the messages of
// every client can be put into.
type Answer struct {
	Err   error // of the stream
	Parts []Part
	Usage llm.Usage
	Stop  llm.FinishReason
}

// A Part is one piece of an answer.
type Part struct {
	Kind      string // text, refusal, thinking, call, block
	Text      string // of a text, a refusal, a thought
	Signature string // of a thought or a call
	ID, Name  string // of a call
	Args      string // of a call, as they came
	Block     string // what the wire calls a block, and its JSON
	Extra     string // further fields of the wire's own form, a JSON object
}

// String is the part in one line: its kind, what it says, and what goes with it.
func (p Part) String() string {
	var b strings.Builder
	b.WriteString(p.Kind)
	switch p.Kind {
	case "call":
		fmt.Fprintf(&b, " %s %s %s", p.ID, p.Name, sortedJSON(p.Args, false))
	case "block":
		b.WriteString(" " + tidyJSON(p.Block))
	default:
		fmt.Fprintf(&b, " %q", p.Text)
	}
	if p.Signature != "" {
		fmt.Fprintf(&b, " signed %s", p.Signature)
	}
	// What we note for ourselves beside what the server sent is under our name.
	if extra := tidyJSON(without(p.Extra, "helios")); extra != "" && extra != "{}" {
		b.WriteString(" with " + extra)
	}
	return b.String()
}

// A Field is one thing in which two answers may differ.
type Field struct{ Name, Value string }

// Fields are the answer's fields. Of an answer that failed only the error and the
// text count: what else a client keeps of it is its own business.
func (a *Answer) Fields(failed bool, words string) []Field {
	fields := []Field{{"error", errorClass(a.Err, words)}}
	if failed {
		return append(fields, Field{"text", fmt.Sprintf("%q", a.text())})
	}
	for i, p := range a.Parts {
		fields = append(fields, Field{fmt.Sprintf("part %d", i+1), p.String()})
	}
	u := a.Usage
	return append(fields,
		Field{"usage", fmt.Sprintf("%d in, %d read, %d written, %d out", u.Input, u.CacheRead, u.CacheWrite, u.Output)},
		Field{"stop", string(a.Stop)})
}

func (a *Answer) text() string {
	var b strings.Builder
	for _, p := range a.Parts {
		if p.Kind == "text" || p.Kind == "refusal" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// errorClass tells errors apart as far as a caller would: whether there is one,
// whether it says that the stream was cut, whether it has what the server said.
func errorClass(err error, words string) string {
	switch {
	case err == nil:
		return "none"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "cut"
	case words != "" && strings.Contains(err.Error(), words):
		return "the server's words"
	}
	return "another"
}

// tidyJSON is a JSON text without blanks, with its members in order and without
// those that are null or empty: what clients leave out or fill in at will.
// Numbers stay as they were written. What is not JSON stays as it is, quoted.
func tidyJSON(text string) string { return sortedJSON(text, true) }

func sortedJSON(text string, pruned bool) string {
	if text == "" {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return fmt.Sprintf("%q", text)
	}
	if pruned {
		v = prune(v)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprintf("%q", text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func prune(v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		if list, ok := v.([]any); ok {
			for i := range list {
				list[i] = prune(list[i])
			}
		}
		return v
	}
	for name, value := range object {
		value = prune(value)
		object[name] = value
		list, isList := value.([]any)
		inner, isObject := value.(map[string]any)
		if value == nil || isList && len(list) == 0 || isObject && len(inner) == 0 {
			delete(object, name)
		}
	}
	return object
}

// written is a value as JSON, or why there is none.
func written(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// without is a JSON object without some of its members.
func without(object string, names ...string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &members) != nil {
		return object
	}
	for _, name := range names {
		delete(members, name)
	}
	return written(members)
}
