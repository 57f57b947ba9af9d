package swaptest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A Race is a tree in which folders and files are swapped for links.
type Race struct {
	Root    string // the tree to open
	Outside string // what must not be reached; beside Root
	Secret  string // in contents and names outside, nowhere inside

	tb     testing.TB
	pairs  []*pair
	beyond []stamp // of everything outside

	active atomic.Pointer[pair] // what is swapped now
	state  atomic.Int32
	swaps  atomic.Int64
}

// The states of the swapping goroutine.
const (
	paused int32 = iota
	pausing
	running
	ended
)

// A pair is two names in one folder that change places: what is real, or nothing,
// and a link.
type pair struct {
	folder     string // never swapped itself
	real, link string
	to         string // where the link leads
	alone      bool   // there is nothing but the link
	at         int    // descriptor of the folder
}

// swap lets the two change places.
func (p *pair) swap() error {
	if !p.alone {
		return unix.Renameat2(p.at, p.real, p.at, p.link, unix.RENAME_EXCHANGE)
	}
	err := unix.Renameat2(p.at, p.real, p.at, p.link, unix.RENAME_NOREPLACE)
	if err != nil {
		err = unix.Renameat2(p.at, p.link, p.at, p.real, unix.RENAME_NOREPLACE)
	}
	return err
}

// batch is how many calls of a case are made between two times at which the tree
// is put back: the swapping stops for that, and on a busy machine the wait for it
// is longer than a call.
const batch = 16

// A place is where names that cases get are, and the pair that they lead through;
// for folders that are not swapped, one below.
type place struct {
	name string // with %d it is another one for each call of a batch
	pair int
}

// of returns the name for a call of a batch.
func (p place) of(call int) string { return strings.ReplaceAll(p.name, "%d", strconv.Itoa(call)) }

var places = map[Kind][]place{
	File:   {{"box/note-%d.txt", 0}, {"leaf.txt", 2}, {"a/b/box/note-%d.txt", 1}, {"box/in/note-%d.txt", 0}},
	Fresh:  {{"box/new-%d.txt", 0}, {"hole.txt", 3}, {"a/b/box/new-%d.txt", 1}, {"box/in/new-%d.txt", 0}},
	Folder: {{"box", 0}, {".", 0}, {"a/b/box", 1}, {"box/in", 0}, {"a", 1}},
	Gone:   {{"box/gone-%d/new", 0}, {"a/b/box/gone-%d/new", 1}},
}

const inside = "needle inside\nend\n"

// New makes the tree in a temporary folder, in memory where that is possible, as
// a disk that waits to be synchronized makes for few calls. It skips the test where
// the file system cannot exchange two names, or fails it if
// HELIOS_REQUIRE_TESTDATA is 1.
func New(tb testing.TB) *Race {
	tb.Helper()
	base := folder(tb)
	r := &Race{
		Root: filepath.Join(base, "inside"), Outside: filepath.Join(base, "beyond"),
		Secret: "secret-" + strings.ToLower(rand.Text()), tb: tb,
		pairs: []*pair{
			{folder: ".", real: "box", link: "box.link", to: filepath.Join(base, "beyond", "box")},
			{folder: "a/b", real: "box", link: "box.link", to: "../../../beyond/box"},
			{folder: ".", real: "leaf.txt", link: "leaf.link", to: "../beyond/leaf.txt"},
			{folder: ".", real: "hole.txt", link: "hole.link", to: "../beyond/made.txt", alone: true},
		},
	}
	for _, p := range places[File] {
		for call := range batch {
			r.put(filepath.Join(r.Root, p.of(call)), inside)
		}
	}
	for _, p := range r.pairs {
		r.must(os.Symlink(p.to, filepath.Join(r.Root, p.folder, p.link)))
		at, err := unix.Open(filepath.Join(r.Root, p.folder), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		r.must(err)
		tb.Cleanup(func() { unix.Close(at) })
		p.at = at
	}
	r.buildOutside()
	if err := errors.Join(r.pairs[0].swap(), r.pairs[0].swap()); err != nil {
		if os.Getenv("HELIOS_REQUIRE_TESTDATA") == "1" {
			tb.Fatalf("two names cannot be exchanged on this file system: %v", err)
		}
		tb.Skipf("two names cannot be exchanged on this file system: %v", err)
	}
	return r
}

func folder(tb testing.TB) string {
	if base, err := os.MkdirTemp("/dev/shm", "swaptest-"); err == nil {
		tb.Cleanup(func() { os.RemoveAll(base) })
		return base
	}
	return tb.TempDir()
}

func (r *Race) put(name, content string) {
	r.must(os.MkdirAll(filepath.Dir(name), 0o755))
	r.must(os.WriteFile(name, []byte(content), 0o644))
}

func (r *Race) must(err error) {
	if err != nil {
		r.tb.Helper()
		r.tb.Fatal(err)
	}
}

// buildOutside makes the twins of what is swapped, with the same names in them
// and one more that gives them away, and remembers how they are.
func (r *Race) buildOutside() {
	r.must(os.RemoveAll(r.Outside))
	content := "needle " + r.Secret + "\nend\n"
	for _, name := range []string{"leaf.txt", "box/note-%d.txt", "box/in/note-%d.txt", "box/" + r.Secret + ".txt", "box/in/" + r.Secret + ".txt"} {
		for call := range batch {
			r.put(filepath.Join(r.Outside, place{name: name}.of(call)), content)
		}
	}
	r.beyond = nil
	r.must(filepath.WalkDir(r.Outside, func(name string, _ fs.DirEntry, err error) error {
		r.beyond = append(r.beyond, stampOf(name))
		return err
	}))
	// A change in the same tick of the file system's clock would leave no trace.
	probe := filepath.Join(filepath.Dir(r.Outside), "tick")
	for last := r.beyond[len(r.beyond)-1].changed; stampOf(probe).changed <= last; {
		r.must(os.WriteFile(probe, nil, 0o600))
	}
}

// A stamp changes with whatever is done to an entry.
type stamp struct {
	name    string
	changed int64 // ns
}

func stampOf(name string) stamp {
	var st unix.Stat_t
	if unix.Lstat(name, &st) != nil {
		return stamp{name, 0}
	}
	return stamp{name, st.Ctim.Nano()}
}

// touched reports whether anything outside has changed.
func (r *Race) touched() bool {
	for _, was := range r.beyond {
		if stampOf(was.name) != was {
			return true
		}
	}
	return false
}

// swapping swaps the active pair until the race ends.
func (r *Race) swapping() {
	for {
		switch r.state.Load() {
		case running:
			if r.active.Load().swap() == nil {
				r.swaps.Add(1)
			}
		case pausing:
			r.state.CompareAndSwap(pausing, paused)
		case ended:
			return
		default:
			runtime.Gosched() // resumes at once, which a wake-up would not
		}
	}
}

// pause returns when nothing is swapped any more.
func (r *Race) pause() {
	for r.state.CompareAndSwap(running, pausing); r.state.Load() != paused; {
		runtime.Gosched()
	}
}

// straighten puts back what calls have changed: the pair, and what the place leads
// to. Nothing may be swapped meanwhile.
func (r *Race) straighten(kind Kind, at place) {
	p := r.pairs[at.pair]
	link, proper := filepath.Join(r.Root, p.folder, p.link), filepath.Join(r.Root, p.folder, p.real)
	isLink := func(name string) bool {
		is, err := os.Lstat(name)
		return err == nil && is.Mode().Type() == fs.ModeSymlink
	}
	if !isLink(link) {
		if isLink(proper) && p.swap() != nil { // one of the two is gone
			r.must(os.Remove(proper))
		}
		if !isLink(link) {
			if _, err := os.Lstat(proper); err != nil {
				if err := os.Rename(link, proper); !errors.Is(err, fs.ErrNotExist) {
					r.must(err)
				}
			}
			r.must(os.RemoveAll(link))
			r.must(os.Symlink(p.to, link))
		}
	}
	for call := range batch {
		name := filepath.Join(r.Root, at.of(call))
		switch kind {
		case File:
			if data, err := os.ReadFile(name); err != nil || string(data) != inside {
				os.Remove(name) // it may have been made for reading only
				r.put(name, inside)
			}
		case Fresh:
			r.must(os.RemoveAll(name))
		case Gone:
			r.must(os.RemoveAll(filepath.Dir(name)))
		}
	}
}

// control is what must escape: a path that is resolved, checked and then opened.
func (r *Race) control(name string) (string, error) {
	name = filepath.Join(r.Root, name)
	resolved, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(resolved, r.Root+"/") {
		return "", errors.New("outside")
	}
	data, err := os.ReadFile(name)
	return string(data), err
}

// start starts the swapping; stop waits for its end.
func (r *Race) start() (stop func()) {
	var swapper sync.WaitGroup
	r.active.Store(r.pairs[0])
	r.state.Store(paused)
	swapper.Go(r.swapping)
	return func() {
		r.pause()
		r.state.Store(ended)
		swapper.Wait()
	}
}

// Run runs the cases in turn for a time together, after the positive control has
// escaped, and fails the test for each case that escapes, shows where the tree is
// on this machine, or never succeeds.
func (r *Race) Run(d time.Duration, cases ...Case) Report {
	r.tb.Helper()
	began := time.Now()
	if !r.Control(30 * time.Second) {
		r.tb.Fatalf("the check of a resolved path before os.ReadFile did not escape in 30 s and %d swaps: the race proves nothing here", r.swaps.Load())
	}
	took := time.Since(began)
	control := Case{Name: "positive control", On: File, Do: func(name string) (string, error) { return r.control(name) }}
	report := r.Observe(d, append(slices.Clip(cases), control)...)
	caught := report.Cases[len(cases)]
	report.Control, report.Cases = took, report.Cases[:len(cases)]
	r.tb.Logf("the positive control escaped after %v, and in %d of %d calls beside the others; %d swaps",
		took.Round(time.Microsecond), caught.Escapes, caught.Calls, report.Swaps)
	if caught.Escapes == 0 && caught.Calls > 1000 {
		r.tb.Errorf("the positive control never escaped in %d calls beside the others: the race proves nothing here", caught.Calls)
	}
	for _, c := range report.Cases {
		r.tb.Logf("%-20s %6d calls, %6d succeeded, %d escaped", c.Name, c.Calls, c.Succeeded, c.Escapes)
		switch {
		case c.Escapes > 0:
			r.tb.Errorf("%s: %d of %d calls have escaped, the first with: %s", c.Name, c.Escapes, c.Calls, c.First)
		case c.Succeeded == 0:
			r.tb.Errorf("%s: none of %d calls has succeeded, so nothing was raced; the last error: %v", c.Name, c.Calls, c.Last)
		case c.Shown != "":
			r.tb.Errorf("%s: shows where the tree is on this machine: %s", c.Name, c.Shown)
		}
	}
	return report
}

// Control reports whether the positive control escapes within a time.
func (r *Race) Control(d time.Duration) bool {
	defer r.start()()
	r.straighten(File, places[File][0])
	r.state.Store(running)
	for end := time.Now().Add(d); time.Now().Before(end); {
		if data, err := r.control(places[File][0].of(0)); err == nil && strings.Contains(data, r.Secret) {
			return true
		}
	}
	return false
}

// Observe runs the cases in turn for a time together and fails nothing.
func (r *Race) Observe(d time.Duration, cases ...Case) Report {
	report := Report{Cases: make([]CaseReport, len(cases))}
	before := r.swaps.Load()
	defer r.start()()
	end := time.Now().Add(d)
	for round := 0; round == 0 || time.Now().Before(end); round++ {
		for i, c := range cases {
			r.some(c, places[c.On][round%len(places[c.On])], &report.Cases[i])
		}
	}
	report.Swaps = r.swaps.Load() - before
	return report
}

// some makes calls of a case while the pair that its names lead through is
// swapped.
func (r *Race) some(c Case, at place, report *CaseReport) {
	r.straighten(c.On, at)
	r.active.Store(r.pairs[at.pair])
	r.state.Store(running)
	defer r.pause()
	for call := range batch {
		for range call * 7 % batch { // not at the same point of a swap each time
			runtime.Gosched()
		}
		r.once(c, at.of(call), report)
	}
}

func (r *Race) once(c Case, name string, report *CaseReport) {
	shown, err := c.Do(name)
	report.Name = c.Name
	report.Calls++
	if err == nil {
		report.Succeeded++
	} else {
		report.Last = err
		shown += "\n" + err.Error()
	}
	if strings.Contains(shown, r.Root) {
		report.Shown = shown
	}
	changed := r.touched()
	if changed || strings.Contains(shown, r.Secret) {
		if report.Escapes++; report.Escapes == 1 {
			report.First = fmt.Sprintf("%s; changed outside: %t; %.300q", name, changed, shown)
		}
	}
	if changed {
		r.buildOutside()
	}
}
