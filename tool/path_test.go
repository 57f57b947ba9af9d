package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAPathHasOneSpelling(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": ".", ".": ".", "./": ".", "a/..": ".", "././/.": ".",
		"a": "a", "./a": "a", "a/": "a", "a//b": "a/b", "a/./b": "a/b", "a/../b": "b", "x/y/../../b": "b",
		".git/config": ".git/config", "..a": "..a", "a..": "a..", "...": "...", " a": " a", "~/a": "~/a", "é/a:b": "é/a:b",
	} {
		if got, err := cleanPath(in, false); got != want || err != nil {
			t.Errorf("cleanPath(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestAPathThatLeadsElsewhereHasNoKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"..": "leads out", "../a": "leads out", "a/../../b": "leads out", "../ws/a": "leads out", "./..": "leads out",
		"/": "absolute", "/etc/passwd": "absolute", "//a": "absolute",
		`a\b`: "backslash", `..\a`: "backslash",
		"a\x00b": "control character", "a\nb": "control character", "a\u0085b": "control character", "a\xffb": "UTF-8",
	} {
		if got, err := CleanPath(in); got != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CleanPath(%q) = %q, %v, want an error about %q", in, got, err, want)
		}
	}
}

func TestNamesThatWindowsReadsOtherwiseHaveNoKeyThere(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"C:a", "c:/a", "a/secrets.env::$DATA", "secrets.env.", "secrets.env ", "a /b", "...", "a./b"} {
		if got, err := cleanPath(in, true); err == nil {
			t.Errorf("cleanPath(%q) = %q on Windows", in, got)
		}
	}
	for _, in := range []string{"a/b", ".git/x", ".", "a b", "./a/../b"} {
		if _, err := cleanPath(in, true); err != nil {
			t.Errorf("cleanPath(%q) on Windows: %v", in, err)
		}
	}
}

func TestThePathIsThatOfTheArgument(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"path":"a/../b","n":1}`: "b", `{"n":1,"path":"./a"}`: "a", `{}`: ".", `{"path":""}`: ".", `{"path":null}`: ".",
		`{"path":"s\u0065crets.env"}`: "secrets.env", `{"p\u0061th":"a"}`: "a", `{"x":{"path":"b"}}`: ".",
	} {
		if got, err := PathKey("path")(json.RawMessage(args)); got != want || err != nil {
			t.Errorf("key of %s = %q, %v, want %q", args, got, err, want)
		}
	}
	for _, args := range []string{
		``, `[]`, `"a"`, `null`, `{"path":1}`, `{"path":["a"]}`, `{"path":"../a"}`, `{"path":"a"`,
		`{"path":"a","path":"b"}`, `{"path":"a","PATH":"b"}`, `{"Path":"a"}`, `{"path":"a","x":}`,
	} {
		if got, err := PathKey("path")([]byte(args)); err == nil || got != "" {
			t.Errorf("key of %s = %q, want an error", args, got)
		}
	}
}

func TestKeysOfACall(t *testing.T) {
	t.Parallel()
	fn := func(context.Context, struct{}) (string, error) { return "", nil }
	keys := func(keys ...string) Option {
		return WithKeys(func(json.RawMessage) ([]string, error) { return keys, nil })
	}
	for name, tt := range map[string]struct {
		tool Tool
		has  bool
		key  string
		n    int
		err  bool
	}{
		"none":    {tool: New("x", "", fn)},
		"one":     {tool: New("x", "", fn, WithKey(PathKey("path"))), has: true, key: ".", n: 1},
		"several": {tool: New("x", "", fn, keys("link", "file")), has: true, key: "link", n: 2},
		"empty":   {tool: New("x", "", fn, keys()), has: true, err: true},
		"failing": {tool: New("x", "", fn, WithKey(func(json.RawMessage) (string, error) { return "x", context.Canceled })), has: true, err: true},
	} {
		all, err := tt.tool.Keys(json.RawMessage(`{}`))
		key, err2 := tt.tool.Key(json.RawMessage(`{}`))
		if tt.tool.HasKey() != tt.has || len(all) != tt.n || key != tt.key || (err != nil) != tt.err || (err2 != nil) != tt.err {
			t.Errorf("%s: HasKey %t, keys %q, key %q, errors %v, %v", name, tt.tool.HasKey(), all, key, err, err2)
		}
	}
}

func TestCleaningACleanPathChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`([a.]{0,3}/?){0,6}`).Draw(t, "path")
		clean, err := CleanPath(p)
		if err != nil {
			return
		}
		if again, err := CleanPath(clean); again != clean || err != nil {
			t.Fatalf("CleanPath(%q) = %q, and cleaned again %q, %v", p, clean, again, err)
		}
		if detour, err := CleanPath("x/./y//../../" + p); detour != clean || err != nil {
			t.Fatalf("with a detour %q, %v, want %q", detour, err, clean)
		}
	})
}

func FuzzCleanPath(f *testing.F) {
	for _, p := range []string{"", "a/../b", "../x", "/etc", `a\b`, "./.././a", "a//b/", "C:x", "..a/.b"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		for _, windows := range []bool{false, true} {
			clean, err := cleanPath(p, windows)
			if err != nil {
				if clean != "" {
					t.Errorf("cleanPath(%q) = %q beside an error", p, clean)
				}
				continue
			}
			if again, err := cleanPath(clean, windows); again != clean || err != nil {
				t.Errorf("cleanPath(%q) = %q, and cleaned again %q, %v", p, clean, again, err)
			}
			for part := range strings.SplitSeq(clean, "/") {
				if clean != "." && (part == "" || part == "." || part == "..") {
					t.Errorf("cleanPath(%q) = %q", p, clean)
				}
			}
		}
	})
}

func FuzzPathKey(f *testing.F) {
	for _, args := range []string{`{"path":"a"}`, `{"path":"a","Path":"b"}`, `{"x":[1,{"path":2}],"path":"./b"}`, `{`, `{"path":null}x`} {
		f.Add([]byte(args))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		key, err := PathKey("path")(args)
		var in struct{ Path string }
		if err != nil || json.Unmarshal(args, &in) != nil {
			return
		}
		// Whatever has a key: it is that of the path which the tool decodes.
		if want, err := CleanPath(in.Path); key != want || err != nil {
			t.Errorf("key of %q = %q, but the tool gets %q", args, key, in.Path)
		}
	})
}
