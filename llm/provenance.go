package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Provenanced is an output of type T with where each of its fields comes from.
// It is an output type like any other:
//
//	p, _, err := llm.GenerateAs[llm.Provenanced[Event]](ctx, model, req, nil)
//	year, ok := p.Field("year") // p.Output.Year comes from year.Sources
//
// An answer is refused, and the model corrected, unless every top-level field
// that the output has (by its JSON name, null not counted) has exactly one entry,
// and each entry holds to the rule of [OutputOptions]. An optional field that is
// left out may have one.
type Provenanced[T any] struct {
	Output     T                 `json:"output"`
	Provenance []FieldProvenance `json:"provenance" jsonschema:"exactly one entry for each top-level field of output"`
}

// FieldProvenance says where one field comes from, and how sure the model is.
type FieldProvenance struct {
	Field      string     `json:"field" jsonschema:"name of the field of output"`
	Sources    []Source   `json:"sources" jsonschema:"what the value was taken from; may be empty with confidence LOW only"`
	Reasoning  string     `json:"reasoning" jsonschema:"how the value follows from the sources"`
	Confidence Confidence `json:"confidence"`
}

// A Source is a document that a value was taken from.
type Source struct {
	Title    string   `json:"title,omitempty"`
	URL      string   `json:"url" jsonschema:"where it is, with any scheme"`
	Excerpts []string `json:"excerpts" jsonschema:"the passages, word by word"`
}

// Confidence is how sure a model says it is.
type Confidence string

// The levels of [Confidence].
const (
	ConfidenceLow    Confidence = "LOW"
	ConfidenceMedium Confidence = "MEDIUM"
	ConfidenceHigh   Confidence = "HIGH"
)

var confidences = []Confidence{ConfidenceLow, ConfidenceMedium, ConfidenceHigh}

// UnmarshalText reads a level, whatever its case and the blanks around it. What
// is no level is an error.
func (c *Confidence) UnmarshalText(text []byte) error {
	level := Confidence(strings.ToUpper(strings.TrimSpace(string(text))))
	if !slices.Contains(confidences, level) {
		return errors.New("confidence must be LOW, MEDIUM or HIGH")
	}
	*c = level
	return nil
}

// Field returns the entry of a field of the output, by its JSON name.
func (p Provenanced[T]) Field(name string) (FieldProvenance, bool) {
	i := slices.IndexFunc(p.Provenance, func(f FieldProvenance) bool { return f.Field == name })
	if i < 0 {
		return FieldProvenance{}, false
	}
	return p.Provenance[i], true
}

// ByField returns the entries by the JSON names of their fields.
func (p Provenanced[T]) ByField() map[string]FieldProvenance {
	entries := make(map[string]FieldProvenance, len(p.Provenance))
	for _, f := range p.Provenance {
		entries[f.Field] = f
	}
	return entries
}

func (p Provenanced[T]) entries() []FieldProvenance { return p.Provenance }

// refineSchema lets an entry name nothing but a field.
func (p Provenanced[T]) refineSchema(s *jsonschema.Schema) {
	for _, name := range s.Properties["output"].PropertyOrder {
		field := s.Properties["provenance"].Items.Properties["field"]
		field.Enum = append(field.Enum, name)
	}
}

// provenanced is a [Provenanced] of any type.
type provenanced interface{ entries() []FieldProvenance }

// A ProvenanceRule checks one entry of a [Provenanced] answer. The text of its
// error goes to the model, behind the place of the entry. A panic counts as an
// error.
type ProvenanceRule func(FieldProvenance) error

// WithSources is the rule unless another is given: who is sure, MEDIUM or HIGH,
// has at least one source.
func WithSources(f FieldProvenance) error {
	if f.Confidence != ConfidenceLow && len(f.Sources) == 0 {
		return fmt.Errorf("the confidence in %q is %s, which needs at least one source; name it or say LOW", f.Field, f.Confidence)
	}
	return nil
}

// ExcerptLimit is a rule: no excerpt is longer than so many bytes. The limit is
// at least 1.
func ExcerptLimit(bytes int) (ProvenanceRule, error) {
	if bytes < 1 {
		return nil, fmt.Errorf("an excerpt limit of %d bytes; it is at least 1", bytes)
	}
	return func(f FieldProvenance) error {
		for i, s := range f.Sources {
			for j, e := range s.Excerpts {
				if len(e) > bytes {
					return fmt.Errorf("excerpt %d of source %d of %q has %d bytes; quote at most %d", j+1, i+1, f.Field, len(e), bytes)
				}
			}
		}
		return nil
	}, nil
}

// And is both rules; the first that refuses an entry has the word.
func (r ProvenanceRule) And(more ProvenanceRule) ProvenanceRule {
	return func(f FieldProvenance) error {
		if err := r(f); err != nil {
			return err
		}
		return more(f)
	}
}

func (o *Output[T]) applyRule(entries []FieldProvenance) []string {
	var problems []string
	for i, f := range entries {
		if o.opts.HideText && !o.declares(f.Field) {
			f.Field = fmt.Sprintf("provenance[%d]", i) // the model chose the name
		}
		if err := o.guard("provenance rule", func() error { return o.opts.Provenance(f) }); err != nil {
			problems = append(problems, fmt.Sprintf("provenance[%d]: %v", i, err))
		}
	}
	return problems
}

// declares reports whether a field is one of the type's, not just the answer's.
func (o *Output[T]) declares(field string) bool {
	output := o.Schema.root.Properties["output"]
	return output != nil && output.Properties[field] != nil
}

// structure holds the entries of an answer, which fits the schema, to its fields.
func structure(s *Schema, data json.RawMessage, entries []FieldProvenance, hide bool) []string {
	var answer struct {
		Output map[string]json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return []string{"output must be object"}
	}
	output := s.root.Properties["output"]
	named := func(field string) string {
		if hide && output.Properties[field] == nil {
			return "a field of output"
		}
		return fmt.Sprintf("%q", label(field))
	}
	var problems []string
	seen := make(map[string]bool, len(entries))
	for i, f := range entries {
		at := fmt.Sprintf("provenance[%d]", i)
		_, given := answer.Output[f.Field]
		switch {
		case !given && output.Properties[f.Field] == nil && hide:
			problems = append(problems, at+".field is none of output")
		case !given && output.Properties[f.Field] == nil:
			problems = append(problems, fmt.Sprintf("%s.field is %q, which is no field of output", at, label(f.Field)))
		case seen[f.Field]:
			problems = append(problems, fmt.Sprintf("%s is the second entry for %s; give one", at, named(f.Field)))
		}
		seen[f.Field] = true
		if strings.TrimSpace(f.Reasoning) == "" {
			problems = append(problems, at+".reasoning is blank")
		}
		for j, source := range f.Sources {
			if strings.TrimSpace(source.URL) == "" {
				problems = append(problems, fmt.Sprintf("%s.sources[%d].url is blank", at, j))
			}
		}
	}
	fields := output.PropertyOrder
	if len(output.Properties) == 0 {
		fields = slices.Sorted(maps.Keys(answer.Output))
	}
	for _, field := range fields {
		if value, ok := answer.Output[field]; ok && !seen[field] && string(value) != "null" {
			problems = append(problems, fmt.Sprintf("%s has no entry in provenance", named(field)))
		}
	}
	return problems
}
