// Package prompttest tests an implementation of [prompt.Registry]:
//
//	func TestRegistry(t *testing.T) {
//		prompttest.TestRegistry(t, func(t *testing.T) prompt.Registry { return open(t) })
//	}
//
// [Check] holds what a registry says about one name to what registries promise,
// at any time and whoever else writes to it.
package prompttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/prompt"
)

// TestRegistry tests what [prompt.Registry] promises. Open returns an empty
// registry, and is called once for each of the subtests.
func TestRegistry(t *testing.T, open func(t *testing.T) prompt.Registry) {
	for _, tt := range []struct {
		name string
		f    func(t *testing.T, r prompt.Registry)
	}{
		{"ADraftDoesNotChangeWhatIsActive", drafts},
		{"AnOldVersionCanBeActivatedAgain", rollback},
		{"WhatThereIsNotIsATypedError", unknown},
		{"ContentComesBackAsItWas", contents},
		{"NamesDoNotMix", names},
		{"BlankNamesAndContentsAreRefused", refused},
		{"ConcurrentRegistersGiveVersionsWithoutGaps", concurrent},
		{"AnEndedContextIsReportedOrHarmless", ended},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.f(t, open(t))
		})
	}
}

// Check reports where the versions of a name break what a registry promises:
// they count from 1 without gaps, at most one is active, and each is the same
// when it is asked for by itself. Others may write meanwhile, except that they
// must not activate.
func Check(ctx context.Context, r prompt.Registry, name string) error {
	all, err := r.Versions(ctx, name)
	if err != nil {
		return err
	}
	active := 0
	for i, p := range all {
		if p.Version != i+1 || p.Name != name {
			return fmt.Errorf("version %d of %q comes as number %d of %q", p.Version, p.Name, i+1, name)
		}
		if p.Active {
			active++
		}
		if one, err := r.Version(ctx, name, p.Version); err != nil || one != p {
			return fmt.Errorf("version %d is %+v by itself (error %w), and %+v among the others", p.Version, one, err, p)
		}
	}
	if active > 1 {
		return fmt.Errorf("%d versions of %q are active", active, name)
	}
	switch p, err := r.Resolve(ctx, name); {
	case active == 1 && (err != nil || !p.Active || all[p.Version-1] != p):
		return fmt.Errorf("the active version of %q is %+v, %w", name, p, err)
	case active == 0 && !errors.As(err, new(*prompt.UnknownError)):
		return fmt.Errorf("no version of %q is active, but it resolves to %+v, %w", name, p, err)
	}
	return nil
}

func must(t *testing.T) func(prompt.Prompt, error) prompt.Prompt {
	return func(p prompt.Prompt, err error) prompt.Prompt {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// want fails unless the versions of a name are these, with a star at the active
// one.
func want(t *testing.T, r prompt.Registry, name, versions string) {
	t.Helper()
	all, err := r.Versions(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range all {
		star := ""
		if p.Active {
			star = "*"
		}
		got = append(got, fmt.Sprintf("%d%s:%s", p.Version, star, p.Content))
	}
	if s := strings.Join(got, " "); s != versions {
		t.Errorf("versions of %q = %q, want %q", name, s, versions)
	}
	if err := Check(t.Context(), r, name); err != nil {
		t.Error(err)
	}
}

func drafts(t *testing.T, r prompt.Registry) {
	ctx, ok := t.Context(), must(t)
	if p := ok(r.Draft(ctx, "p", "a")); p.Version != 1 || p.Active {
		t.Errorf("draft = %+v", p)
	}
	want(t, r, "p", "1:a")
	before := time.Now().Add(-time.Second)
	p := ok(r.Register(ctx, "p", "b"))
	if p.Version != 2 || !p.Active || p.Name != "p" || p.Content != "b" {
		t.Errorf("registered %+v", p)
	}
	if p.Created.Before(before) || p.Created.After(time.Now()) || p.Created.Location() != time.UTC {
		t.Errorf("created %v", p.Created)
	}
	ok(r.Draft(ctx, "p", "c"))
	want(t, r, "p", "1:a 2*:b 3:c")
	ok(r.Register(ctx, "p", "d"))
	want(t, r, "p", "1:a 2:b 3:c 4*:d")
}

func rollback(t *testing.T, r prompt.Registry) {
	ctx, ok := t.Context(), must(t)
	for _, content := range []string{"a", "b", "c"} {
		ok(r.Register(ctx, "p", content))
	}
	for range 2 { // the second time it changes nothing
		if p := ok(r.Activate(ctx, "p", 1)); p.Version != 1 || !p.Active || p.Content != "a" {
			t.Errorf("activated %+v", p)
		}
		want(t, r, "p", "1*:a 2:b 3:c")
	}
	ok(r.Draft(ctx, "p", "d"))
	want(t, r, "p", "1*:a 2:b 3:c 4:d")
	ok(r.Activate(ctx, "p", 4))
	want(t, r, "p", "1:a 2:b 3:c 4*:d")
}

func unknown(t *testing.T, r prompt.Registry) {
	ctx := t.Context()
	must(t)(r.Draft(ctx, "p", "a"))
	calls := map[string]func() error{
		"resolve nothing active": func() error { _, err := r.Resolve(ctx, "p"); return err },
		"resolve no such name":   func() error { _, err := r.Resolve(ctx, "q"); return err },
	}
	for _, version := range []int{-1, 0, 2, 1 << 40} {
		for _, name := range []string{"p", "q"} {
			calls[fmt.Sprint("version ", name, version)] = func() error { _, err := r.Version(ctx, name, version); return err }
			calls[fmt.Sprint("activate ", name, version)] = func() error { _, err := r.Activate(ctx, name, version); return err }
		}
	}
	for what, call := range calls {
		if err := call(); !errors.As(err, new(*prompt.UnknownError)) {
			t.Errorf("%s: %v, want an UnknownError", what, err)
		}
	}
	want(t, r, "p", "1:a")
	want(t, r, "q", "")
	must(t)(r.Activate(ctx, "p", 1))
	if _, err := r.Activate(ctx, "p", 7); err == nil {
		t.Error("version 7 was activated")
	}
	want(t, r, "p", "1*:a") // what was active still is
}

func contents(t *testing.T, r prompt.Registry) {
	ctx, ok := t.Context(), must(t)
	long := strings.Repeat("0123456789abcdef", 1<<16)
	for _, content := range []string{"plain", "héllo <&> \u2028 {a}", "a\x00b", " \n", "'; DROP TABLE prompts; --", long} {
		p := ok(r.Register(ctx, "p", content))
		if p.Content != content {
			t.Errorf("registered as %q, want %q", cut(p.Content), cut(content))
		}
		if got := ok(r.Resolve(ctx, "p")); got != p {
			t.Errorf("resolved to %q, want %q", cut(got.Content), cut(content))
		}
	}
	if err := Check(ctx, r, "p"); err != nil {
		t.Error(err)
	}
}

func cut(s string) string { return s[:min(len(s), 40)] }

func names(t *testing.T, r prompt.Registry) {
	ctx, ok := t.Context(), must(t)
	all := []string{"p", "P", "p ", "p%", "pp", "é", "e\u0301", "p\x00q"}
	for _, name := range all {
		ok(r.Register(ctx, name, "of "+name))
	}
	for _, name := range all {
		want(t, r, name, "1*:of "+name)
	}
}

func refused(t *testing.T, r prompt.Registry) {
	for _, tt := range [][2]string{{"", "x"}, {" \t", "x"}, {"\xff", "x"}, {"p", ""}, {"p", "\xff"}} {
		for what, add := range map[string]func(context.Context, string, string) (prompt.Prompt, error){"register": r.Register, "draft": r.Draft} {
			if p, err := add(t.Context(), tt[0], tt[1]); err == nil {
				t.Errorf("%s(%q, %q) = %+v, want an error", what, tt[0], tt[1], p)
			}
		}
	}
	want(t, r, "p", "")
}

func concurrent(t *testing.T, r prompt.Registry) {
	const writers, each = 8, 10
	versions := make([][]int, writers)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				content := fmt.Sprint(w, " ", i)
				p, err := r.Register(context.Background(), "p", content)
				if err != nil || p.Content != content {
					t.Errorf("register %q: %+v, %v", content, p, err)
					return
				}
				versions[w] = append(versions[w], p.Version)
				if _, err := r.Resolve(context.Background(), "p"); err != nil {
					t.Errorf("between two registers nothing is active: %v", err)
				}
			}
		})
	}
	group.Wait()
	for w := range versions {
		if !slices.IsSorted(versions[w]) {
			t.Errorf("one after the other got %v", versions[w])
		}
	}
	all := slices.Concat(versions...)
	slices.Sort(all)
	for i, v := range all {
		if v != i+1 {
			t.Fatalf("versions %v", all)
		}
	}
	if err := Check(t.Context(), r, "p"); err != nil {
		t.Error(err)
	}
	if p := must(t)(r.Resolve(t.Context(), "p")); p.Version != writers*each {
		t.Errorf("version %d is active, want the last one", p.Version)
	}
}

// An implementation need not look at the context, but must not do half of it.
func ended(t *testing.T, r prompt.Registry) {
	must(t)(r.Register(t.Context(), "p", "a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wanted := "1*:a"
	if _, err := r.Register(ctx, "p", "b"); err == nil {
		wanted = "1:a 2*:b"
	}
	want(t, r, "p", wanted)
}
