package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

func TestBadGrantsAreRefusedWhenTheyAreMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	value := secret.NewValue
	for name, bad := range map[string]struct {
		change func(*Grant)
		field  string
	}{
		"blank program":          {func(g *Grant) { g.Program = " " }, "Program"},
		"relative path":          {func(g *Grant) { g.Program = "bin/sh" }, "Program"},
		"dot path":               {func(g *Grant) { g.Program = "./sh" }, "Program"},
		"dot dot":                {func(g *Grant) { g.Program = ".." }, "Program"},
		"zero byte":              {func(g *Grant) { g.Program = "/bin/sh\x00" }, "Program"},
		"missing path":           {func(g *Grant) { g.Program = filepath.Join(dir, "none") }, "Program"},
		"missing name":           {func(g *Grant) { g.Program = "a-program-that-is-not-there" }, "Program"},
		"not executable":         {func(g *Grant) { g.Program = plain }, "Program"},
		"folder":                 {func(g *Grant) { g.Program = dir }, "Program"},
		"negative timeout":       {func(g *Grant) { g.Timeout = -1 }, "Timeout"},
		"negative max":           {func(g *Grant) { g.MaxTimeout = -1 }, "MaxTimeout"},
		"max below":              {func(g *Grant) { g.MaxTimeout = time.Second }, "MaxTimeout"},
		"negative grace":         {func(g *Grant) { g.Grace = -1 }, "Grace"},
		"little output":          {func(g *Grant) { g.MaxOutput = 1023 }, "MaxOutput"},
		"negative output":        {func(g *Grant) { g.MaxOutput = -1 }, "MaxOutput"},
		"negative concurrency":   {func(g *Grant) { g.MaxConcurrent = -1 }, "MaxConcurrent"},
		"blank name in env":      {func(g *Grant) { g.Env = map[string]string{" ": "x"} }, "Env"},
		"empty name in env":      {func(g *Grant) { g.Env = map[string]string{"": "x"} }, "Env"},
		"equals in env":          {func(g *Grant) { g.Env = map[string]string{"A=B": "x"} }, "Env"},
		"zero byte in env":       {func(g *Grant) { g.Env = map[string]string{"A": "x\x00"} }, "Env"},
		"path in env":            {func(g *Grant) { g.Env = map[string]string{"PATH": "/"} }, "Env"},
		"zero byte in path":      {func(g *Grant) { g.Path = "/\x00" }, "Path"},
		"short secret":           {func(g *Grant) { g.SecretEnv = map[string]secret.Value{"KEY": value("short")} }, "SecretEnv"},
		"blank secret name":      {func(g *Grant) { g.SecretEnv = map[string]secret.Value{"": value("long enough")} }, "SecretEnv"},
		"secret that is no text": {func(g *Grant) { g.SecretEnv = map[string]secret.Value{"KEY": value("long\nenough")} }, "SecretEnv"},
		"twice in env": {func(g *Grant) {
			g.Env, g.SecretEnv = map[string]string{"KEY": "x"}, map[string]secret.Value{"KEY": value("long enough")}
		}, "SecretEnv"},
		"relative folder": {func(g *Grant) { g.Dir = "here" }, "Dir"},
		"missing folder":  {func(g *Grant) { g.Dir = filepath.Join(dir, "none") }, "Dir"},
		"file as folder":  {func(g *Grant) { g.Dir = plain }, "Dir"},
		"tool name":       {func(g *Grant) { g.Name = "no good" }, "Name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sh(t)
			bad.change(&g)
			_, err := New(g)
			var got *GrantError
			if !errors.As(err, &got) || got.Field != bad.field {
				t.Errorf("got error %v, want one about %s", err, bad.field)
			}
		})
	}
}

// A grant that is refused for anything but a secret has registered nothing.
func TestRefusedGrantRegistersNothing(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Secrets, g.SecretEnv, g.Name = &secret.Registry{}, map[string]secret.Value{"KEY": secret.NewValue("long enough")}, "no good"
	if _, err := New(g); err == nil || g.Secrets.Len() != 0 {
		t.Errorf("got error %v and %d secrets, want an error and none", err, g.Secrets.Len())
	}
}

func TestZeroGrantHasTheDefaults(t *testing.T) {
	t.Parallel()
	sh(t)
	c := open(t, Grant{Program: "/bin/sh"})
	g := c.grant
	if g.Timeout != 30*time.Second || g.Grace != 2*time.Second || g.MaxOutput != 50_000 || g.MaxConcurrent != 4 {
		t.Errorf("got %v, %v, %d, %d", g.Timeout, g.Grace, g.MaxOutput, g.MaxConcurrent)
	}
	tl := c.Tool()
	if tl.Spec.Name != "sh" || tl.Effect != tool.Unknown || tl.Kind != tool.KindExecute || tl.HasKey() {
		t.Errorf("got tool %s, %v, %v, key %v", tl.Spec.Name, tl.Effect, tl.Kind, tl.HasKey())
	}
	if tl.Timeout <= g.Timeout+g.Grace {
		t.Errorf("the tool's timeout of %v gives the grant's no chance", tl.Timeout)
	}
}

func TestToolIsNamedAfterTheProgram(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/usr/bin/python3.11": "python3_11", "/bin/[": "_", "/x/g++": "g_", "/x/git.exe": "git"} {
		if got := (&Grant{}).toolName(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if got := (&Grant{Name: "history"}).toolName("/usr/bin/git"); got != "history" {
		t.Errorf("got %q, want history", got)
	}
}

func TestNameIsLookedUpOnceOnThePathOfTheHost(t *testing.T) {
	t.Parallel()
	sh(t)
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+name+"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("a/prog", 0o600) // not executable: skipped
	write("b/prog", 0o700)
	write("c/prog", 0o700)
	if err := os.MkdirAll(filepath.Join(dir, "d/prog"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := func(elements ...string) string {
		for i, e := range elements {
			if e != "" && e != "." && e != "rel" {
				elements[i] = filepath.Join(dir, e)
			}
		}
		return strings.Join(elements, string(filepath.ListSeparator))
	}
	got, err := findProgram("prog", path("", ".", "rel", "d", "a", "none", "b", "c"))
	if want := filepath.Join(dir, "b/prog"); got != want || err != nil {
		t.Errorf("got %q, error %v, want %q", got, err, want)
	}
	for _, p := range []string{"", path("", ".", "a", "d")} {
		var bad *GrantError
		if got, err := findProgram("prog", p); !errors.As(err, &bad) {
			t.Errorf("PATH %q: got %q, error %v, want a GrantError", p, got, err)
		}
	}
	if got, err := findProgram(filepath.Join(dir, "c", ".", "prog"), ""); got != filepath.Join(dir, "c/prog") || err != nil {
		t.Errorf("got %q, error %v for an absolute path", got, err)
	}
	// What was found is what runs, whatever PATH is later.
	g := sh(t)
	g.Program = filepath.Join(dir, "c/prog")
	g.Path = filepath.Join(dir, "b")
	if res := run(t, open(t, g), ""); res.Stdout != "c/prog\n" {
		t.Errorf("it ran %q", res.Stdout)
	}
	found, err := Open(Grant{Program: "sh"})
	if err != nil || !filepath.IsAbs(found.Path()) {
		t.Errorf("got path %v, error %v", found, err)
	}
}

func TestGrantDoesNotPrintItsSecrets(t *testing.T) {
	t.Parallel()
	g := sh(t)
	const value = "a&b<c>12"
	g.SecretEnv = map[string]secret.Value{"KEY": secret.NewValue(value)}
	if got := fmt.Sprintf("%v %+v %#v", g, g, g); strings.Contains(got, value) {
		t.Errorf("it printed its secret: %s", got)
	}
	g.Env = map[string]string{"KEY": "x"}
	if _, err := New(g); err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), value) {
		t.Errorf("got error %v", err)
	}
}
