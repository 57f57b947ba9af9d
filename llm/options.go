package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Options tune a request; the zero value leaves everything to the provider.
// Make a float's pointer with new: Temperature: new(0.2).
type Options struct {
	MaxTokens   int64    `json:"max_tokens,omitempty"`  // most tokens of the answer, thinking included
	Temperature *float64 `json:"temperature,omitempty"` // 0 to 2
	TopP        *float64 `json:"top_p,omitempty"`       // above 0, to 1
	Seed        *int64   `json:"seed,omitempty"`        // where the provider has one
	Thinking    Thinking `json:"thinking,omitempty"`
	Stop        []string `json:"stop,omitempty"` // texts that end the answer

	// Provider holds settings that one provider knows, as JSON, by its name.
	Provider map[string]json.RawMessage `json:"provider,omitempty"`
}

// Validate reports the first setting that no provider would take.
func (o *Options) Validate() error {
	switch {
	case o.MaxTokens < 0:
		return fmt.Errorf("MaxTokens is %d; it is a number of tokens, or 0 for the provider's own limit", o.MaxTokens)
	case o.Temperature != nil && !within(*o.Temperature, 0, 2):
		return fmt.Errorf("Temperature is %v; it goes from 0 to 2", *o.Temperature)
	case o.TopP != nil && (!within(*o.TopP, 0, 1) || *o.TopP == 0):
		return fmt.Errorf("TopP is %v; it is above 0 and at most 1", *o.TopP)
	case int(o.Thinking) >= len(thinkingNames):
		return fmt.Errorf("Thinking is %d; use one of the Thinking levels of this package", uint8(o.Thinking))
	case slices.Contains(o.Stop, ""):
		return fmt.Errorf("Stop[%d] is empty; a stop sequence is a text", slices.Index(o.Stop, ""))
	}
	for name, data := range o.Provider {
		if !json.Valid(data) {
			return fmt.Errorf("Provider[%q] is not valid JSON", name)
		}
	}
	return nil
}

// within is false for a NaN.
func within(x, low, high float64) bool { return x >= low && x <= high && !math.IsNaN(x) }

// Thinking is how much a model should reason before it answers. Providers map
// or clamp the levels; one that a model cannot have at all is an error, never
// silently dropped.
type Thinking uint8

// Levels of [Thinking].
const (
	ThinkingDefault Thinking = iota // what the provider does by itself
	ThinkingNone
	ThinkingMinimal
	ThinkingLow
	ThinkingMedium
	ThinkingHigh
	ThinkingXHigh
	ThinkingMax
)

var thinkingNames = [...]string{"default", "none", "minimal", "low", "medium", "high", "xhigh", "max"}

// String is the level's name in small letters.
func (t Thinking) String() string { return nameOf(thinkingNames[:], uint8(t), "Thinking") }

// MarshalText writes the name.
func (t Thinking) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a name. One that it does not know is an error.
func (t *Thinking) UnmarshalText(text []byte) error {
	i, err := indexOf(thinkingNames[:], string(text), "thinking level")
	*t = Thinking(i)
	return err
}

// ToolChoice says whether and what the model must call. The zero value leaves
// it to the model.
type ToolChoice struct {
	Mode  ChoiceMode `json:"mode,omitempty"`
	Names []string   `json:"names,omitempty"` // with ChoiceNamed: one of these must be called
}

// ChoiceMode is the kind of a [ToolChoice].
type ChoiceMode uint8

// The modes of a [ToolChoice].
const (
	ChoiceAuto  ChoiceMode = iota // the model decides
	ChoiceNone                    // no calls
	ChoiceAny                     // at least one call
	ChoiceNamed                   // a call of one of Names
)

var choiceNames = [...]string{"auto", "none", "any", "named"}

// String is the mode's name in small letters.
func (m ChoiceMode) String() string { return nameOf(choiceNames[:], uint8(m), "ChoiceMode") }

// MarshalText writes the name.
func (m ChoiceMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a name. One that it does not know is an error.
func (m *ChoiceMode) UnmarshalText(text []byte) error {
	i, err := indexOf(choiceNames[:], string(text), "tool choice")
	*m = ChoiceMode(i)
	return err
}

// validate holds the choice to the tools that are there.
func (c *ToolChoice) validate(tools []ToolSpec) error {
	switch {
	case int(c.Mode) >= len(choiceNames):
		return fmt.Errorf("the tool choice has the mode %d; use one of the Choice modes of this package", uint8(c.Mode))
	case c.Mode == ChoiceAny && len(tools) == 0:
		return errors.New("the tool choice wants a call, and there are no tools")
	case c.Mode != ChoiceNamed:
		return nil
	case len(c.Names) == 0:
		return errors.New("the tool choice is ChoiceNamed without a name")
	}
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].Name
	}
	for _, name := range c.Names {
		if slices.Contains(names, name) {
			continue
		}
		hint := ""
		if near := Nearest(name, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("the tool choice names %q, which is no tool of the request%s", name, hint)
	}
	return nil
}

func nameOf(names []string, i uint8, kind string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

func indexOf(names []string, text, what string) (int, error) {
	if i := slices.Index(names, text); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%q is no %s; the names are %s", text, what, quoted(names))
}

func quoted(names []string) string {
	values := make([]any, len(names))
	for i, n := range names {
		values[i] = n
	}
	return list(values)
}
