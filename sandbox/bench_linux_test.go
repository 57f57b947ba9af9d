package sandbox

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What a layer costs over Python alone: both are started in turns, so that what
// else the machine does falls on both, and the medians are compared.
func BenchmarkStartOverPlain(b *testing.B) {
	path := filepath.Join(b.TempDir(), "main.py")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	for name, s := range layers(b) {
		for _, c := range []struct {
			what string
			job  *Job
		}{
			{"", &Job{Files: map[string][]byte{"main.py": nil}, Main: "main.py"}},
			{" with a workspace", &Job{
				Files: map[string][]byte{"main.py": nil}, Main: "main.py", ReadOnly: []string{"data"},
				Dir: folder(b, map[string]string{"data/a.npz": string(make([]byte, 1<<20)), "manifest.json": "{}"}),
			}},
		} {
			b.Run(name+c.what, func(b *testing.B) {
				b.ReportAllocs()
				var plain, boxed []time.Duration
				for b.Loop() {
					began := time.Now()
					if err := exec.Command("/usr/bin/python3", "-I", "-B", "-X", "utf8", path).Run(); err != nil {
						b.Fatal(err)
					}
					between := time.Now()
					ok(b, mustRun(b, s, c.job))
					plain, boxed = append(plain, between.Sub(began)), append(boxed, time.Since(between))
				}
				slices.Sort(plain)
				slices.Sort(boxed)
				middle := len(plain) / 2
				b.ReportMetric(float64(plain[middle])/1e6, "ms/plain")
				b.ReportMetric(float64(boxed[middle]-plain[middle])/1e6, "ms/over-plain")
				b.ReportMetric(float64(boxed[middle])/float64(plain[middle]), "times-plain")
			})
		}
	}
}

// From Start to the first answer over the socket, and from then on.
func BenchmarkWorker(b *testing.B) {
	for _, c := range candidates(&testWorkers[0]) {
		s, err := OpenWorker(b.Context(), testWorkers[0], &Options{Layers: []string{c.name}})
		if err != nil {
			b.Logf("not measured: layer %s: %v", c.name, err)
			continue
		}
		b.Run(c.name+" start", func(b *testing.B) {
			for b.Loop() {
				p, err := startAndHear(s, &Job{}, "")
				if err != nil {
					b.Fatal(err)
				}
				ask(b, p, bufio.NewReader(p.Conn()), "say hello")
				p.Kill()
				<-p.Done()
				_ = p.Conn().Close()
			}
		})
		b.Run(c.name+" answer", func(b *testing.B) {
			p, r := start(b, s, &Job{})
			b.ReportAllocs()
			for b.Loop() {
				ask(b, p, r, "say hello")
			}
		})
	}
}

// One line to Python and back, with the output taken as a cell would.
func BenchmarkWarmPython(b *testing.B) {
	for name, s := range layers(b) {
		b.Run(name, func(b *testing.B) {
			p, r := start(b, s, talker("for line in lines:\n    print(line)\n    sys.stdout.flush()\n    say('x')\n"))
			b.ReportAllocs()
			for b.Loop() {
				ask(b, p, r, "hello")
				if stdout, _, _ := p.Output(); len(stdout) != 7 {
					b.Fatalf("got output %q", stdout)
				}
			}
		})
	}
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
