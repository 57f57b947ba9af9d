package files_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/tool/files"
)

// source writes a tree of 10,000 files of about 4 KB, as programs have them, with
// something for each of the patterns here and there.
func source(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("alpha buffer close count data error field file func handle index int key length list map name node offset open parse " +
		"range read result return size slice state string struct table time token type value write if else for err nil := == != ( ) { } // ctx")
	for n := range 10_000 {
		var b strings.Builder
		for range 20 + r.IntN(180) {
			b.WriteString(strings.Repeat("\t", r.IntN(4)))
			for range 1 + r.IntN(10) {
				b.WriteString(words[r.IntN(len(words))] + " ")
			}
			b.WriteByte('\n')
		}
		switch {
		case n%300 == 0:
			b.WriteString("// TO" + "DO(ann) done by 2024-01-02\n")
		case n%100 == 0:
			b.WriteString("func handleClose(x int) error { return ErrUnexpectedEOF }\n")
		}
		folder := filepath.Join(dir, fmt.Sprintf("p%d", n%25), fmt.Sprintf("q%d", n%250))
		if n < 250 {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				tb.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", n)), []byte(b.String()), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// BenchmarkGrep compares Grep with ripgrep: each time one after the other, the
// ratio is that of the shortest times of both.
func BenchmarkGrep(b *testing.B) {
	rg, err := exec.LookPath("rg")
	testdata.Need(b, "ripgrep", err)
	dir := source(b)
	grep := files.New(open(b, dir), nil).Grep()
	for _, bench := range []struct{ name, pattern string }{
		{"literal", `ErrUnexpectedEOF`},
		{"inner", `func \w+Close\(`},
		{"boundary", `\bTO` + `DO\(\w+\)`},
		{"date", `\d{4}-\d{2}-\d{2}`},
		{"fold", `(?i)unexpectedeof`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			args, _ := json.Marshal(map[string]string{"pattern": bench.pattern})
			ours, theirs := time.Hour, time.Hour
			found := 0
			b.ReportAllocs()
			for b.Loop() {
				begun := time.Now()
				res, err := grep.Run(b.Context(), args)
				ours = min(ours, time.Since(begun))
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				begun = time.Now()
				cmd := exec.CommandContext(b.Context(), rg, "-n", "--no-heading", "--color=never", "-j2", "-e", bench.pattern, ".")
				cmd.Dir = dir
				out, err := cmd.Output()
				theirs = min(theirs, time.Since(begun))
				if err != nil {
					b.Fatal(err)
				}
				if found = strings.Count(string(out), "\n"); found != strings.Count(res.Text(), "\n") {
					b.Fatalf("found %d lines, ripgrep %d", strings.Count(res.Text(), "\n"), found)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(ours)/float64(theirs), "x-ripgrep")
			b.ReportMetric(float64(ours.Microseconds())/1000, "ms-best")
			b.ReportMetric(float64(found), "lines")
		})
	}
}
