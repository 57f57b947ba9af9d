package workspace_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/workspace"
)

// BenchmarkRead1KiB opens and reads a file, by turns with os.ReadFile, so that
// both meet the same machine. x/os is how many times as long it takes (the
// quotient of the fastest batches), os-ns/op what os.ReadFile takes.
func BenchmarkRead1KiB(b *testing.B) {
	for _, depth := range []int{1, 5} {
		dir := b.TempDir()
		name := strings.Repeat("folder/", depth-1) + "file.txt"
		must(b, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(b, os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte("x"), 1024), 0o600))
		for _, mode := range here() {
			ws := open(b, dir, &workspace.Options{Mode: mode})
			b.Run(fmt.Sprintf("depth=%d/%s", depth, mode), func(b *testing.B) {
				b.ReportAllocs()
				compare(b, filepath.Join(dir, name), func() ([]byte, error) {
					data, _, err := ws.ReadFile(name, 1<<20)
					return data, err
				})
			})
			if mode == workspace.Strict {
				var buf []byte
				b.Run(fmt.Sprintf("depth=%d/%s, own memory", depth, mode), func(b *testing.B) {
					b.ReportAllocs()
					compare(b, filepath.Join(dir, name), func() ([]byte, error) {
						var err error
						buf, _, err = ws.AppendFile(buf[:0], name, 1<<20)
						return buf, err
					})
				})
			}
		}
	}
}

// compare times batches of both and reports the quotient of their minima.
func compare(b *testing.B, host string, read func() ([]byte, error)) {
	const batch = 100
	measure := func(read func() ([]byte, error), n int) time.Duration {
		began := time.Now()
		for range n {
			if data, err := read(); err != nil || len(data) != 1024 {
				b.Fatal(len(data), err)
			}
		}
		return time.Since(began)
	}
	own, plain := time.Hour, time.Hour
	for left := b.N; left > 0; left -= batch {
		b.StopTimer()
		plain = min(plain, measure(func() ([]byte, error) { return os.ReadFile(host) }, batch))
		b.StartTimer()
		if took := measure(read, min(batch, left)); left >= batch {
			own = min(own, took)
		}
	}
	if b.N >= batch {
		b.ReportMetric(float64(own)/float64(plain), "x/os")
		b.ReportMetric(float64(plain.Nanoseconds())/batch, "os-ns/op")
	}
}

// BenchmarkWalk10000 walks 10,000 files in 100 folders: their names, with what
// describes them, and with their content (about 50 bytes each).
func BenchmarkWalk10000(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		name := filepath.Join(dir, fmt.Sprintf("%02d/%02d.txt", i/100, i%100))
		if i%100 == 0 {
			must(b, os.Mkdir(filepath.Dir(name), 0o755))
		}
		must(b, os.WriteFile(name, []byte(strings.Repeat("text ", 10)), 0o600))
	}
	for _, mode := range here() {
		ws := open(b, dir, &workspace.Options{Mode: mode})
		var buf []byte
		for what, each := range map[string]func(f workspace.Found) error{
			"names":    func(workspace.Found) error { return nil },
			"infos":    func(f workspace.Found) error { _, err := f.Info(); return err },
			"contents": func(f workspace.Found) (err error) { buf, _, err = f.Append(buf[:0], 1<<20); return err },
		} {
			b.Run(mode.String()+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					must(b, ws.Walk(b.Context(), ".", nil, func(f workspace.Found) error {
						if f.Type != workspace.File {
							return nil
						}
						n++
						return each(f)
					}))
					if n != 10_000 {
						b.Fatal(n)
					}
				}
			})
		}
	}
	b.Run("filepath.WalkDir/names", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			must(b, filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
				if !d.IsDir() {
					n++
				}
				return err
			}))
			if n != 10_000 {
				b.Fatal(n)
			}
		}
	})
}

func BenchmarkWrite1KiB(b *testing.B) {
	data := bytes.Repeat([]byte("x"), 1024)
	for _, mode := range here() {
		ws := open(b, b.TempDir(), &workspace.Options{Mode: mode})
		b.Run(mode.String()+"/replace", func(b *testing.B) {
			for b.Loop() {
				_, err := ws.WriteFile("f", data)
				must(b, err)
			}
		})
		b.Run(mode.String()+"/new", func(b *testing.B) {
			for b.Loop() {
				must(b, errors.Join(ws.Create("n", data), ws.Remove("n")))
			}
		})
	}
}
