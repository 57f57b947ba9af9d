package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/helios-go/helios/helioai/ui/cli"
)

// A said is what a command says while it runs.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
	line chan string
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	select {
	case s.line <- string(p):
	default:
	}
	return len(p), nil
}

func TestHapiServeSharesAFolderUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "wind.csv"), []byte("time,V (km/s)\n2023-01-01T00:00:00,400\n2023-01-01T00:01:00,401\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := &said{line: make(chan string, 1)}
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, []string{"hapi", "serve", "--addr", "127.0.0.1:0", dir}, io.Discard, stderr)
	}()
	base := regexp.MustCompile(`http://\S+/hapi`).FindString(<-stderr.line)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/data?dataset=wind&start=2023-01-01Z&stop=2023-01-02Z", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if want := "2023-01-01T00:00:00.000Z,400\n2023-01-01T00:01:00.000Z,401\n"; err != nil || string(body) != want {
		t.Errorf("%q, %v; want %q", body, err, want)
	}
	cancel()
	if code := <-ended; code != 0 && code != 130 {
		t.Errorf("it ended with %d: %s", code, stderr.text.String())
	}
}

func TestHapiServeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for want, args := range map[string][]string{
		"name the files":     {"hapi", "serve"},
		"missing.cdf":        {"hapi", "serve", "missing.cdf"},
		"holds no .cdf":      {"hapi", "serve", empty},
		"must be positive":   {"hapi", "serve", "--max-records", "-1", empty},
		"takes no \"files\"": {"hapi", "files"},
	} {
		var stderr bytes.Buffer
		if code := cli.Run(t.Context(), args, io.Discard, &stderr); code == 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: %d, %s; want %q", args, code, stderr.String(), want)
		}
	}
}
