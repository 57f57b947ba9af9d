package cli_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/ui/cli"
)

func TestExitCodesTellWhatWentWrong(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name   string
		ctx    context.Context
		args   []string
		want   int
		stderr string
	}{
		{"help", t.Context(), []string{"--help"}, 0, ""},
		{"version", t.Context(), []string{"version"}, 0, ""},
		{"data that are not there", t.Context(), []string{"data", "--data", "missing.cdf"}, 1, "missing.cdf"},
		{"an unknown command", t.Context(), []string{"mean"}, 2, "helioai ask"},
		{"an unknown flag", t.Context(), []string{"data", "--what"}, 2, "helioai data --help"},
		{"a file where an archive belongs", t.Context(), []string{"data", "a.cdf"}, 2, "write --data a.cdf"},
		{"words where none belong", t.Context(), []string{"models", "a", "b", "c"}, 2, "helioai models"},
		{"an empty question", t.Context(), []string{"ask", " "}, 2, "the question is empty"},
		{"an unknown provider", t.Context(), []string{"ask", "--provider", "x\x1b[2J", "mean"}, 2, `there is no provider "x\x1b[2J"; there are offline, anthropic`},
		{"interrupted", cancelled, []string{"data"}, 130, "interrupted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			got := cli.Run(tc.ctx, tc.args, &stdout, &stderr)
			if got != tc.want || !strings.Contains(stderr.String(), tc.stderr) {
				t.Errorf("exit %d with %q, want %d with %q", got, stderr.String(), tc.want, tc.stderr)
			}
			if tc.want == 0 && (stderr.Len() > 0 || stdout.Len() == 0) {
				t.Errorf("stdout %q, stderr %q", stdout.String(), stderr.String())
			}
			if tc.want != 0 && (stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1) {
				t.Errorf("stdout %q, stderr %q; want one line on stderr", stdout.String(), stderr.String())
			}
		})
	}
}
