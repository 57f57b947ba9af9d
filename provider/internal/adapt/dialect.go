package adapt

import "slices"

// A Dialect says what of JSON Schema a provider takes. The zero value takes what
// all do. It must not change once used.
type Dialect struct {
	Refs bool // references within the schema, also recursive ones
	All  bool // every keyword of draft 2020-12; the others take those of Keywords
	// Keywords are taken beside those that all take: type, description, properties,
	// required, items, enum, anyOf, additionalProperties.
	Keywords []string
	Formats  []string // values of format; nil: any, if format is a keyword
	Texts    bool     // enums hold texts only, none of them empty
	OneType  bool     // type is one name: where several are possible it is anyOf
	Open     bool     // additionalProperties is not taken: objects are open
	// Names wants the names of the arguments themselves to be of letters, digits and
	// _.- only, at most 64 of them. Others are renamed, see [Adapted].Back.
	Names bool
	// Closed wants additionalProperties:false in every object. Where an object has
	// to be open the schema cannot be had, see [Adapted].Strict.
	Closed bool
	// Strict is Closed, and wants every property to be required: an optional one
	// may be null instead.
	Strict bool
	// Optional and Unions are how many optional properties, and how many of several
	// types, there may be in a schema that is closed; 0 is any.
	Optional, Unions int
}

// The dialects, with where they are described:
var (
	// Anthropic tools take the standard, though no alternatives for the arguments as
	// a whole, and names that are not too odd.
	Anthropic = &Dialect{Refs: true, All: true, Names: true}
	// AnthropicOutput is for output_config.format
	// (platform.claude.com/docs/en/build-with-claude/structured-outputs).
	AnthropicOutput = &Dialect{Closed: true, Optional: 24, Unions: 16, Keywords: []string{"title", "default", "format"}, Formats: []string{
		"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
	}}
	// OpenAI is for functions that are not strict.
	OpenAI = &Dialect{Refs: true, Keywords: common}
	// OpenAIStrict is for strict functions and outputs
	// (platform.openai.com/docs/guides/structured-outputs).
	OpenAIStrict = &Dialect{Strict: true, Refs: true, Keywords: []string{
		"title", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
	}, Formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}}
	// Gemini is for functions and outputs (ai.google.dev/gemini-api/docs/structured-output).
	Gemini = &Dialect{Texts: true, OneType: true, Open: true, Keywords: []string{
		"title", "format", "minimum", "maximum", "minItems", "maxItems",
	}, Formats: []string{"date-time", "date", "time"}}
	// Chat is for servers of chat completions. Ollama reads it into a Go struct
	// that has no references, llama.cpp makes a grammar of it.
	Chat = &Dialect{Keywords: common}
)

var common = []string{
	"title", "default", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}

// base are the keywords that all take.
var base = []string{"type", "description", "properties", "required", "items", "enum", "anyOf", "additionalProperties"}

func (d *Dialect) takes(keyword string) bool {
	return d.All || slices.Contains(base, keyword) || slices.Contains(d.Keywords, keyword)
}

func (d *Dialect) takesFormat(format string) bool {
	return d.takes("format") && (d.All || d.Formats == nil || slices.Contains(d.Formats, format))
}
