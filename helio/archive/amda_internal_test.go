package archive

import (
	"os"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

//nolint:gocognit // one walk through all of it
func TestARealTreeOfAMDA(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(testdata.File(t, "data/amda_obsdatatree.xml"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := parseAMDATree(data)
	if err != nil {
		t.Fatal(err)
	}
	parameters, templated, restricted, cadences := 0, 0, 0, 0
	types := map[string]int{}
	names := map[string]bool{}
	for _, d := range tree {
		if d.restricted != tt.Fill {
			restricted++
		}
		if d.Cadence > 0 {
			cadences++
		}
		if d.ID == "" || d.Mission == "" || d.Start == tt.Fill && d.Stop != tt.Fill {
			t.Errorf("%+v", d.Dataset)
		}
		for _, p := range d.Parameters {
			parameters++
			if names[p.Name] {
				t.Errorf("two parameters %s", p.Name)
			}
			names[p.Name] = true
			w := 1
			for _, n := range p.Dims {
				w *= n
			}
			if len(p.Columns) != w {
				t.Errorf("%s: %d labels for %d values", p.ID, len(p.Columns), w)
			}
			if p.Template == nil {
				continue
			}
			templated++
			name, notes, err := p.Template.Resolve(nil)
			if err != nil || strings.Contains(name, "#") || len(notes) != len(p.Template.Arguments) {
				t.Errorf("%s: %q, %v", p.ID, name, err)
			}
			for _, a := range p.Template.Arguments {
				types[a.Type]++
				last := map[string]string{}
				if n := len(a.Choices); n > 0 {
					last[a.Key] = a.Choices[n-1].Key
				}
				name, _, err := p.Template.Resolve(last)
				if err != nil {
					t.Errorf("%s with %v: %v", p.ID, last, err)
				}
				if values, ok := p.Template.Match(name); !ok || len(last) > 0 && strings.Contains(p.Template.Pattern, "##"+a.Key+"##") && values[a.Key] != last[a.Key] {
					t.Errorf("%s: %q is matched as %v, want %v", p.ID, name, values, last)
				}
			}
		}
	}
	if len(tree) != 1046 || parameters != 5420 || templated != 287 {
		t.Errorf("%d datasets, %d parameters, %d of them templated; want 1046, 5420, 287", len(tree), parameters, templated)
	}
	for _, kind := range []string{"list", "generated-list", "float", "bool", "int"} {
		if types[kind] == 0 {
			t.Errorf("no argument of type %s was resolved", kind)
		}
	}
	t.Logf("%d restricted, %d with a cadence, arguments %v", restricted, cadences, types)
}

func TestATreeThatIsCutIsAnError(t *testing.T) {
	t.Parallel()
	const tree = `<?xml version="1.0"?><dataRoot><dataset xml:id="d"><parameter xml:id="p" template="p_##a##"><arguments><argument key="a" type="list" default="1"><item key="1"/></argument></arguments></parameter></dataset></dataRoot>`
	whole, err := parseAMDATree([]byte(tree))
	if err != nil || len(whole) != 1 || len(whole[0].Parameters) != 1 {
		t.Fatalf("%+v, %v", whole, err)
	}
	for n := range len(tree) {
		if _, err := parseAMDATree([]byte(tree[:n])); err == nil {
			t.Fatalf("cut at %d: no error", n)
		}
	}
	for _, odd := range []string{"<html/>", "", "{}", strings.Repeat("<dataRoot>", 100)} {
		if _, err := parseAMDATree([]byte(odd)); err == nil {
			t.Errorf("%.20q: no error", odd)
		}
	}
}

func FuzzAMDATree(f *testing.F) {
	f.Add([]byte(`<dataRoot><mission name="m"><dataset xml:id="d" sampling="5M" timeRestriction="2020"><parameter xml:id="p" size="2" template="p_##a##"><component name="x"/><arguments><argument key="a" type="generated-list" minkey="0" maxkey="3" default="1"/></arguments></parameter></dataset></mission></dataRoot>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := parseAMDATree(data)
		if err != nil {
			return
		}
		for _, d := range tree {
			for _, p := range d.Parameters {
				if len(p.Columns) == 0 {
					t.Errorf("%s has no label", p.Name)
				}
				if p.Template == nil {
					continue
				}
				if name, _, err := p.Template.Resolve(nil); err == nil && strings.Contains(name, "##") {
					t.Errorf("%q is left of %q", name, p.Template.Pattern)
				}
				p.Template.Match(p.Name)
			}
		}
	})
}
