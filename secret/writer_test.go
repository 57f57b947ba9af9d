package secret_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWriterHoldsBackLessThanTheLongestSecret(t *testing.T) {
	t.Parallel()
	r := registry(t, "A", "short-one", "B", "a-much-longer-secret").Redactor()
	text := strings.Repeat("a-much-longer-secreT short-on ", 5000) // more than is copied at a time
	for _, size := range []int{1, 3, 20, 1000, len(text)} {
		var b bytes.Buffer
		w := r.Writer(&b)
		for at := 0; at < len(text); at += size {
			end := min(at+size, len(text))
			if _, err := io.WriteString(w, text[at:end]); err != nil {
				t.Fatal(err)
			}
			if want := max(0, end-(r.Longest()-1)); b.Len() < want {
				t.Fatalf("after %d bytes in writes of %d, %d are written, want %d", end, size, b.Len(), want)
			}
		}
		if err := w.Close(); err != nil || b.String() != text {
			t.Errorf("writes of %d: the text was changed (%v)", size, err)
		}
	}
}

func TestWriterFindsSecretsAcrossWrites(t *testing.T) {
	t.Parallel()
	r := registry(t, "A", "abcabcab", "B", "cabxxxxxxxx").Redactor()
	text := "..abcabcabcabcabxxxxxxxx..abcabcab"
	want, _ := r.Text(text)
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		w := r.Writer(&b)
		for at := 0; at < len(text); at += size {
			_, _ = io.WriteString(w, text[at:min(at+size, len(text))])
		}
		if err := w.Close(); err != nil || b.String() != want || w.Counts().Total() != 2 {
			t.Errorf("writes of %d: %q, %v, want %q", size, b.String(), w.Counts(), want)
		}
	}
}

// A cap behind the redactor may cut a token, never a secret; and of a stream that
// broke off, the end that could be one is not shown.
func TestCapBehindTheWriterShowsNoPartOfASecret(t *testing.T) {
	t.Parallel()
	const value, limit = "QWERTYUIOP[]", 100
	r := registry(t, "A", value).Redactor()
	for before := range limit + 20 {
		for _, end := range []string{"", strings.Repeat(".", 50)} {
			for broken := 1; broken <= len(value); broken++ {
				var b bytes.Buffer
				w := r.Writer(&b)
				_, _ = io.WriteString(w, strings.Repeat(".", before)+value[:broken])
				if broken == len(value) {
					_, _ = io.WriteString(w, end)
					_ = w.Close()
				}
				if got := b.Bytes()[:min(limit, b.Len())]; bytes.ContainsAny(got, "QWERTYUIOP[]") {
					t.Fatalf("%d bytes, then %d of the secret: %q", before, broken, got)
				}
			}
		}
	}
}

func TestWriterReturnsTheErrorBehindIt(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk full")
	w := registry(t, "A", "secret-value").Redactor().Writer(failing{broken})
	if n, err := w.Write(make([]byte, 100)); n != 0 || !errors.Is(err, broken) {
		t.Errorf("Write = %d, %v, want 0, %v", n, err, broken)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, broken) {
		t.Errorf("second Write = %v, want %v", err, broken)
	}
	if err := w.Close(); !errors.Is(err, broken) {
		t.Errorf("Close = %v, want %v", err, broken)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriterIsClosedOnce(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := registry(t, "A", "secret-value").Redactor().Writer(iotest.TruncateWriter(&b, 100))
	_, _ = io.WriteString(w, "text")
	if err := errors.Join(w.Close(), w.Close()); err != nil || b.String() != "text" {
		t.Errorf("closed twice: %q, %v", b.String(), err)
	}
	if _, err := w.Write([]byte("more")); err == nil {
		t.Error("Write after Close = nil, want an error")
	}
}
