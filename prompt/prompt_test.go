package prompt_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/prompt"
)

func TestRender(t *testing.T) {
	t.Parallel()
	values := map[string]string{"a": "{b}", "b": "B", "a_b": "AB", "1": "one", "": "nothing", "é": "no"}
	for _, tt := range []struct{ content, want, variables string }{
		{"", "", ""},
		{"plain", "plain", ""},
		{"{a}{b}", "{b}B", "a b"}, // the value of a is not looked at again
		{"{a_b} {1}", "AB one", "a_b 1"},
		{"{a-b} {} { a } {é}", "{a-b} {} { a } {é}", ""},
		{"{x} {b} {x}", "{x} B {x}", "x b"},
		{"{{b}}", "{B}", "b"},
		{"{a{b}", "{aB", "b"},
		{"{b", "{b", ""},
		{"b}{", "b}{", ""},
		{"{b}{", "B{", "b"},
	} {
		p := prompt.Prompt{Content: tt.content}
		if got := p.Render(values); got != tt.want {
			t.Errorf("render %q = %q, want %q", tt.content, got, tt.want)
		}
		if got := strings.Join(p.Variables(), " "); got != tt.variables {
			t.Errorf("variables of %q = %q, want %q", tt.content, got, tt.variables)
		}
	}
}

// FuzzRender holds rendering to what a regular expression would do.
func FuzzRender(f *testing.F) {
	variable := regexp.MustCompile(`\{(\w+)\}`)
	f.Add("Dear {name}, {a-b} {{x}} {", "name", "{name}")
	f.Add("{{{a}}}{a", "a", "}")
	f.Fuzz(func(t *testing.T, content, name, value string) {
		p := prompt.Prompt{Content: content}
		want := variable.ReplaceAllStringFunc(content, func(s string) string {
			if s[1:len(s)-1] == name {
				return value
			}
			return s
		})
		values := map[string]string{name: value}
		got := p.Render(values)
		if got != want {
			t.Errorf("render %q with %q for %s = %q, want %q", content, value, name, got, want)
		}
		complete := true
		for _, v := range p.Variables() {
			complete = complete && v == name
			if !strings.Contains(content, "{"+v+"}") {
				t.Errorf("%q has no variable %q", content, v)
			}
		}
		if strict, err := p.RenderStrict(values); (err == nil) != complete || err == nil && strict != got {
			t.Errorf("strict render of %q = %q, %v", content, strict, err)
		}
		if vars := p.Variables(); len(slices.Compact(slices.Sorted(slices.Values(vars)))) != len(vars) {
			t.Errorf("variables %q are not each there once", vars)
		}
	})
}
