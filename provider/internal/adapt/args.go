package adapt

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

// badArgs is the field that holds arguments which are no JSON object.
const badArgs = "invalid_arguments"

// Args are the arguments of a call in a history, as a JSON object whatever the
// model wrote: servers refuse a request with anything else. None are an empty
// object. What is no object, or too deep to be read again, stands in the object's
// only field as a text, so that the model sees what it wrote. Half of a surrogate
// pair ("\ud83d"), which is JSON and which servers refuse too, becomes the
// replacement character.
func Args(call *llm.ToolCall) json.RawMessage {
	args := bytes.TrimSpace(call.Args)
	switch {
	case len(args) == 0:
		return json.RawMessage("{}")
	case args[0] == '{' && utf8.Valid(args) && json.Valid(args) && !llm.Deeper(args, llm.MaxDepth):
		return whole(args)
	}
	field, err := json.Marshal(map[string]string{badArgs: strings.ToValidUTF8(string(args), "\uFFFD")})
	if err != nil { // a map of texts can be written
		return json.RawMessage("{}")
	}
	return field
}

// escape is an escape in a JSON string; that of a surrogate together with the next
// if it is one too.
var escape = regexp.MustCompile(`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)`)

// whole is JSON without halves of surrogate pairs.
func whole(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		return data
	}
	return escape.ReplaceAllFunc(data, func(e []byte) []byte {
		if len(e) == len(`\ud83d`) && (e[2]|0x20) == 'd' && e[3] >= '8' { // \ud800 to \udfff
			return []byte(`\ufffd`)
		}
		return e
	})
}
