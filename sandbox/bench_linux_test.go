package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The two differ by what the sandbox costs.
func BenchmarkRunOfAnEmptyProgram(b *testing.B) {
	empty := &Job{Files: map[string][]byte{"main.py": nil}, Main: "main.py"}
	path := filepath.Join(b.TempDir(), "main.py")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := exec.Command("/usr/bin/python3", "-I", "-B", "-X", "utf8", path).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sandbox", func(b *testing.B) {
		s := box(b)
		b.ReportAllocs()
		for b.Loop() {
			ok(b, mustRun(b, s, empty))
		}
	})
	b.Run("sandbox with a workspace", func(b *testing.B) {
		s := box(b)
		job := *empty
		job.Dir = folder(b, map[string]string{"data/a.npz": string(make([]byte, 1<<20)), "manifest.json": "{}"})
		job.ReadOnly = []string{"data"}
		b.ReportAllocs()
		for b.Loop() {
			ok(b, mustRun(b, s, &job))
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	box(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// matplotlib looks through all fonts when it does not find its list of them;
// a program that is given the list does not.
func BenchmarkPlot(b *testing.B) {
	s := box(b)
	const plot = `
import glob, os, shutil
if os.path.exists("/job/fonts.json"):
    os.makedirs("/tmp/mpl")
    shutil.copy("/job/fonts.json", "/tmp/mpl/" + open("/job/name").read())
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.savefig("/tmp/a.png")
send([[os.path.basename(p), open(p).read()] for p in glob.glob("/tmp/mpl/fontlist-*.json")])
`
	job := program(plot)
	job.Env = map[string]string{"MPLCONFIGDIR": "/tmp/mpl"}
	b.Run("without the list of fonts", func(b *testing.B) {
		for b.Loop() {
			ok(b, mustRun(b, s, job))
		}
	})
	b.Run("with it", func(b *testing.B) {
		list := frame[[][]string](b, ok(b, mustRun(b, s, job)))
		if len(list) != 1 {
			b.Fatalf("matplotlib made %d lists", len(list))
		}
		given := program(plot)
		given.Env = job.Env
		given.Files["name"], given.Files["fonts.json"] = []byte(list[0][0]), []byte(list[0][1])
		for b.Loop() {
			ok(b, mustRun(b, s, given))
		}
	})
}

func BenchmarkFrames(b *testing.B) {
	data := frameBytes(`{"name":"b_mean","value":5.25,"units":"nT"}`, `[1,2,3,4,5,6,7,8,9,10]`)
	limits, _ := Limits{}.withDefaults(false)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		f := frameReader{r: bytes.NewReader(data), limits: limits}
		if err := f.readAll(); err != nil {
			b.Fatal(err)
		}
	}
}
