package offline

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	raw, err := os.ReadFile(os.Getenv("PROBE"))
	if err != nil {
		t.Skip()
	}
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		files, q, _ := strings.Cut(line, "\t")
		b := newBench(t, openReal(t, strings.Fields(files)...), allTools()).ask(strings.Split(q, " || ")...)
		a := strings.ReplaceAll(b.answer, signature, "")
		fmt.Printf("%s\n     => %v %s\n", q, b.refused, a)
	}
}
