package prompt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/helios-go/helios/prompt"
	"github.com/helios-go/helios/prompt/prompttest"
	"pgregory.net/rapid"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	prompttest.TestRegistry(t, func(*testing.T) prompt.Registry { return new(prompt.Memory) })
}

// TestMemoryDoesWhatASliceWould drives a registry through random calls beside
// the simplest thing that could be one.
func TestMemoryDoesWhatASliceWould(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		var m prompt.Memory
		contents, active := map[string][]string{}, map[string]int{}
		names := rapid.SampledFrom([]string{"a", "b"})
		add := func(name string, p prompt.Prompt, err error, activated bool) {
			if err != nil || p.Version != len(contents[name]) || p.Active != activated {
				t.Fatalf("added %+v, %v", p, err)
			}
			if activated {
				active[name] = p.Version
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"register": func(t *rapid.T) {
				name, content := names.Draw(t, "name"), rapid.StringN(1, 9, -1).Draw(t, "content")
				contents[name] = append(contents[name], content)
				p, err := m.Register(ctx, name, content)
				add(name, p, err, true)
			},
			"draft": func(t *rapid.T) {
				name, content := names.Draw(t, "name"), rapid.StringN(1, 9, -1).Draw(t, "content")
				contents[name] = append(contents[name], content)
				p, err := m.Draft(ctx, name, content)
				add(name, p, err, false)
			},
			"activate": func(t *rapid.T) {
				name, version := names.Draw(t, "name"), rapid.IntRange(-1, 9).Draw(t, "version")
				known := version >= 1 && version <= len(contents[name])
				if p, err := m.Activate(ctx, name, version); known != (err == nil) || known && p.Version != version {
					t.Fatalf("activate %s %d = %+v, %v", name, version, p, err)
				}
				if known {
					active[name] = version
				}
			},
			"": func(t *rapid.T) {
				for _, name := range []string{"a", "b"} {
					same(t, &m, name, contents[name], active[name])
				}
			},
		})
	})
}

// same fails unless a registry holds these versions, with this one active, 0 for
// none.
func same(t *rapid.T, r prompt.Registry, name string, contents []string, active int) {
	ctx := context.Background()
	if err := prompttest.Check(ctx, r, name); err != nil {
		t.Fatal(err)
	}
	if p, err := r.Resolve(ctx, name); p.Version != active || (err == nil) != (active > 0) {
		t.Fatalf("%s resolves to %+v, %v; want version %d", name, p, err, active)
	}
	all, err := r.Versions(ctx, name)
	if err != nil || len(all) != len(contents) {
		t.Fatalf("%s has %d versions, want %d (%v)", name, len(all), len(contents), err)
	}
	for i := range all {
		if all[i].Content != contents[i] {
			t.Fatalf("version %d is %q, want %q", i+1, all[i].Content, contents[i])
		}
	}
}

func TestAVersionThatWasReturnedDoesNotChange(t *testing.T) {
	t.Parallel()
	var m prompt.Memory
	first, err := m.Register(t.Context(), "p", "a")
	if err != nil {
		t.Fatal(err)
	}
	all, _ := m.Versions(t.Context(), "p")
	m.Register(t.Context(), "p", "b")
	if !first.Active || !all[0].Active {
		t.Error("what was returned has changed")
	}
	all[0].Content = "changed"
	if p, _ := m.Version(t.Context(), "p", 1); p.Content != "a" {
		t.Error("what was returned is the registry's own")
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	var m prompt.Memory
	m.Draft(t.Context(), "p", "{a} {b} {a}")
	_, active := m.Resolve(t.Context(), "p")
	_, version := m.Version(t.Context(), "p", 0)
	p, _ := m.Version(t.Context(), "p", 1)
	_, missing := p.RenderStrict(map[string]string{"c": ""})
	for err, want := range map[error]string{
		active:  `prompt "p" has no active version: register one, or activate a draft`,
		version: `prompt "p" has no version 0`,
		missing: `render prompt "p", version 1: no value for a, b`,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	var e *prompt.MissingError
	if !errors.As(missing, &e) || len(e.Variables) != 2 {
		t.Errorf("missing = %+v", e)
	}
}
