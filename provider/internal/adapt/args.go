package adapt

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

// badArgs is the field that holds arguments which are no JSON object.
const badArgs = "invalid_arguments"

// Args are the arguments of a call in a history, as a JSON object whatever the
// model wrote: servers refuse a request with anything else. None are an empty
// object. What is no object, or too deep to be read again, stands in the object's
// only field as a text, so that the model sees what it wrote.
func Args(call *llm.ToolCall) json.RawMessage {
	args := bytes.TrimSpace(call.Args)
	switch {
	case len(args) == 0:
		return json.RawMessage("{}")
	case args[0] == '{' && utf8.Valid(args) && json.Valid(args) && !llm.Deeper(args, llm.MaxDepth):
		return args
	}
	field, err := json.Marshal(map[string]string{badArgs: strings.ToValidUTF8(string(args), "\uFFFD")})
	if err != nil { // a map of texts can be written
		return json.RawMessage("{}")
	}
	return field
}
