package files_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool/files"
)

func TestReadNumbersLines(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{
		"a": "alpha\nbeta\ngamma\ndelta\n", "empty": "", "crlf": "a\r\nb", "bom": "\xef\xbb\xbfx\n", "bad": "ok\n\xff\xfe!\n",
	}, nil)
	same(t, "whole", b.text(b.Read(), args{"path": "a"}), "     1\talpha\n     2\tbeta\n     3\tgamma\n     4\tdelta\n")
	same(t, "a part", b.text(b.Read(), args{"path": "./x/../a", "offset": 2, "limit": 2}),
		"     2\tbeta\n     3\tgamma\n[Lines 2 to 3 of 4. Go on with offset=4, or find the place with Grep.]\n")
	same(t, "to the end", b.text(b.Read(), args{"path": "a", "offset": 3, "limit": 2}), "     3\tgamma\n     4\tdelta\n")
	same(t, "empty", b.text(b.Read(), args{"path": "empty"}), "")
	same(t, "CRLF", b.text(b.Read(), args{"path": "crlf"}), "     1\ta\n     2\tb\n")
	same(t, "a byte order mark", b.text(b.Read(), args{"path": "bom"}), "     1\tx\n")
	same(t, "not UTF-8", b.text(b.Read(), args{"path": "bad"}), "     1\tok\n     2\t\uFFFD!\n[Bytes that are not UTF-8 are shown as \uFFFD.]\n")
	same(t, "not UTF-8 elsewhere", b.text(b.Read(), args{"path": "bad", "limit": 1}), "     1\tok\n[Lines 1 to 1 of 2. Go on with offset=2, or find the place with Grep.]\n")
}

func TestReadOfExactlyTheLimitHasNoNote(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"2000": numbers(2000), "2001": numbers(2001)}, nil)
	if got := b.text(b.Read(), args{"path": "2000"}); strings.Contains(got, "[") || strings.Count(got, "\n") != 2000 {
		t.Errorf("2000 lines: got %q at the end", got[len(got)-60:])
	}
	if got := b.text(b.Read(), args{"path": "2001"}); !strings.HasSuffix(got, "[Lines 1 to 2000 of 2001. Go on with offset=2001, or find the place with Grep.]\n") {
		t.Errorf("2001 lines: got %q at the end", got[len(got)-100:])
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"a": "x\n", "dir/b": "", "zero": "\x00\x01\x02", "elf": "\x7fELF\x02\x01\x01\x00", "wide": "\xff\xfea\x00b\x00"}, nil)
	b.fails(b.Read(), args{"path": ""}, "path is missing")
	b.fails(b.Read(), args{"path": "none"}, `Read "none": it does not exist; look for it with Glob or LS`)
	b.fails(b.Read(), args{"path": "dir"}, "it is a folder")
	b.fails(b.Read(), args{"path": "../etc/passwd"}, "out of the workspace")
	b.fails(b.Read(), args{"path": "/etc/passwd"}, "absolute")
	b.fails(b.Read(), args{"path": "a", "offset": 2}, "it has 1 line, and offset is 2")
	b.fails(b.Read(), args{"path": "a", "offset": -1}, "the first line is 1")
	b.fails(b.Read(), args{"path": "a", "limit": -1}, "1 or more")
	b.fails(b.Read(), args{"path": "zero"}, "application/octet-stream", "look into it with a program")
	b.fails(b.Read(), args{"path": "elf"}, "application/x-elf")
	b.fails(b.Read(), args{"path": "wide"}, "utf-16", "convert it to UTF-8")
}

func TestReadBoundsFiles(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{
		"big.png": "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 6<<20),
		"big.pdf": "%PDF-1.7\n" + strings.Repeat("x", 6<<20),
		"a.png":   "\x89PNG\r\n\x1a\n\x00\x00", "b.webp": "RIFF\x00\x00\x00\x00WEBPVP8 ", "not.png": "text\n",
	}, nil)
	if err := os.Truncate(filepath.Join(b.dir, "not.png"), 26<<20); err != nil {
		t.Fatal(err)
	}
	b.fails(b.Read(), args{"path": "not.png"}, "27262976 bytes, and 26214400 is the most")
	b.fails(b.Read(), args{"path": "big.png"}, "image/png", "5 MiB is the most")
	for name, mime := range map[string]string{"a.png": "image/png", "b.webp": "image/webp", "big.pdf": "application/pdf"} {
		res, err := b.call(b.Read(), args{"path": name})
		if err != nil || len(res.Parts) != 2 || res.Parts[1].Kind != llm.PartMedia || res.Parts[1].Media.MIME != mime || !bytes.Equal(res.Parts[1].Media.Data, []byte(b.file(name))) {
			t.Errorf("%s: got %d parts, %v", name, len(res.Parts), err)
		}
	}
}

func TestReadBoundsText(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"long": strings.Repeat("é", 50) + "\nshort\n", "many": numbers(100), "one": strings.Repeat("x", 500)},
		&files.Options{MaxLine: 21, MaxText: 200})
	same(t, "a long line", b.text(b.Read(), args{"path": "long"}), "     1\t"+strings.Repeat("é", 10)+" [... 80 bytes more]\n     2\tshort\n"+
		"[1 long line was cut at 21 bytes; Grep shows what is around a match in it.]\n")
	got := b.text(b.Read(), args{"path": "many"})
	if want := "    16\tline\n[Lines 1 to 16 of 100, as 200 bytes of text is the most at once. Go on with offset=17, or find the place with Grep.]\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q", got)
	}
	tiny := with(t, map[string]string{"one": strings.Repeat("x", 500) + "\nb\n"}, &files.Options{MaxText: 10})
	if got := tiny.text(tiny.Read(), args{"path": "one"}); !strings.HasPrefix(got, "     1\txxxxxxxxxx [... 490 bytes more]\n[Lines 1 to 1 of 2") {
		t.Errorf("no room: got %q", got)
	}
}

func secrets(t *testing.T) *secret.Registry {
	t.Helper()
	var r secret.Registry
	for name, value := range map[string]string{"KEY": "a&b<c>12", "LONG": "sk-0123456789abcdef0123456789"} {
		if err := r.Register(name, value, secret.Base64); err != nil {
			t.Fatal(err)
		}
	}
	return &r
}

// A secret at any place around the cap of a line and of the text leaves no piece.
func TestReadShowsNoPieceOfASecret(t *testing.T) {
	t.Parallel()
	r := secrets(t)
	const value = "sk-0123456789abcdef0123456789"
	for at := range 70 {
		b := with(t, map[string]string{"f": strings.Repeat(".", at) + value + "\nkey=a&b<c>12\n"}, &files.Options{Secrets: r, MaxLine: 40, MaxText: 60})
		got := b.text(b.Read(), args{"path": "f"})
		if strings.Contains(got, "sk-") || strings.Contains(got, "a&b") || !utf8.ValidString(got) {
			t.Errorf("at %d: got %q", at, got)
		}
	}
}

func TestReadShowsASecretsName(t *testing.T) {
	t.Parallel()
	b := with(t, map[string]string{"f": "key=a&b<c>12 \"a\\u0026b\\u003cc\\u003e12\"\n"}, &files.Options{Secrets: secrets(t)})
	same(t, "redacted", b.text(b.Read(), args{"path": "f"}), "     1\tkey=<redacted:KEY> \"<redacted:KEY>\"\n")
}
