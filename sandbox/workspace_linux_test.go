package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWorkspaceGoesInAndComesBack(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"in.txt": "in", "sub/deep/kept.txt": "kept", "old.txt": "old", "gone.txt": "gone", "data/x.npz": "data"})
	job := program(`
send(sorted(os.path.join(d, f) for d, _, fs in os.walk(".") for f in fs))
assert open("in.txt").read() == "in"
open("old.txt", "w").write("new")
os.makedirs("figures/a")
open("figures/a/fig.png", "wb").write(b"png")
os.remove("gone.txt")
os.rename("in.txt", "moved.txt")
open("made and removed", "w").close(); os.remove("made and removed")
open("same.txt", "w").write("same")
os.chmod("same.txt", 0o777)
`)
	job.Dir, job.ReadOnly = dir, []string{"data"}
	res := ok(t, mustRun(t, box(t), job))
	if got, want := string(res.Frames[0]), `["./data/x.npz", "./gone.txt", "./in.txt", "./old.txt", "./sub/deep/kept.txt"]`; got != want {
		t.Errorf("the program saw %s, want %s", got, want)
	}
	if want := []string{"figures/a/fig.png", "moved.txt", "old.txt", "same.txt"}; !slices.Equal(res.Changed, want) {
		t.Errorf("got changed %q, want %q", res.Changed, want)
	}
	if len(res.Refused) != 0 {
		t.Errorf("got refused %v", res.Refused)
	}
	for name, want := range map[string]string{
		"old.txt": "new", "figures/a/fig.png": "png", "moved.txt": "in", "gone.txt": "gone", "in.txt": "in", "sub/deep/kept.txt": "kept",
	} {
		if got := readFile(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, name := range res.Changed {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		st := info.Sys().(*syscall.Stat_t)
		if info.Mode() != 0o600 || int(st.Uid) != os.Getuid() {
			t.Errorf("%s: got mode %v, owner %d, want -rw------- and the caller", name, info.Mode(), st.Uid)
		}
	}
	if left := leftIn(t, dir); slices.ContainsFunc(left, func(n string) bool { return strings.Contains(n, ".helios-") }) {
		t.Errorf("temporary files are left: %q", left)
	}
}

func TestWrittenFileIsReportedThoughItIsTheSame(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"a": "same", "b": "same"})
	job := program(`
before = os.stat("a")
open("a", "w").write("same")
os.utime("a", ns=(before.st_atime_ns, before.st_mtime_ns))
open("b").read()
`)
	job.Dir = dir
	if res := ok(t, mustRun(t, box(t), job)); !slices.Equal(res.Changed, []string{"a"}) {
		t.Errorf("got changed %q, want a alone", res.Changed)
	}
}

func TestKilledProgramBringsNothingBack(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"old.txt": "old"})
	job := program(`
open("old.txt", "w").write("ne")
open("half.bin", "wb").write(b"half")
os.kill(os.getpid(), 9)
`)
	job.Dir = dir
	res := mustRun(t, box(t), job)
	if res.ExitCode != exitKilled || len(res.Changed) != 0 {
		t.Errorf("got exit code %d, changed %q", res.ExitCode, res.Changed)
	}
	if got := leftIn(t, dir); !slices.Equal(got, []string{"old.txt"}) {
		t.Errorf("the workspace holds %q", got)
	}
	if got := readFile(t, filepath.Join(dir, "old.txt")); got != "old" {
		t.Errorf("got %q in old.txt", got)
	}
}

func TestPlantedEntriesStayInside(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"secret.txt": "secret"})
	dir := folder(t, map[string]string{"data/x": "x"})
	job := program(`
outside = ` + fmt.Sprintf("%q", outside) + `
os.symlink(outside + "/secret.txt", "link")
os.symlink(outside, "folder")
os.symlink("/etc/passwd", "absolute")
os.symlink("../../../../etc/passwd", "relative")
os.symlink("loop", "loop")
open("one", "w").write("1"); os.link("one", "two")
os.mkdir("shut"); open("shut/in", "w").write("1"); os.chmod("shut", 0)
open("unreadable", "w").write("1"); os.chmod("unreadable", 0)
open(b"odd\xffname\n", "w").write("odd")
open("data2", "w").write("good")
os.mkdir("empty")
try:
    open("data/x", "w")
except OSError:
    pass
`)
	job.Dir, job.ReadOnly = dir, []string{"data", "wanted"}
	res := ok(t, mustRun(t, box(t), job))
	refused := map[string]string{}
	for _, r := range res.Refused {
		refused[r.Name] = r.Reason
	}
	want := map[string]string{
		"link": "symbolic link", "folder": "symbolic link", "absolute": "symbolic link", "relative": "symbolic link", "loop": "symbolic link",
		"one": "hard link", "two": "hard link",
	}
	if os.Getuid() != 0 {
		want["shut"], want["unreadable"] = "cannot be read", "cannot be read"
	}
	for name, reason := range want {
		if !strings.Contains(refused[name], reason) {
			t.Errorf("%s: got refused for %q, want %q", name, refused[name], reason)
		}
	}
	if len(refused) != len(want) {
		t.Errorf("got refused %v, want %d of them", refused, len(want))
	}
	for _, name := range leftIn(t, dir) {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !info.Mode().IsRegular() {
			t.Errorf("%q came back as %v", name, info.Mode())
		}
	}
	if got := readFile(t, filepath.Join(dir, "odd\xffname\n")); got != "odd" {
		t.Errorf("got %q in the file with the odd name", got)
	}
	if got := leftIn(t, outside); !slices.Equal(got, []string{"secret.txt"}) {
		t.Errorf("outside there is now %q", got)
	}
}

// What lies in the workspace on the host may have been planted by another
// program: it is neither shown to this one nor written through.
func TestPlantedEntriesOnTheHostAreLeftAlone(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"secret.txt": "secret", "victim.txt": "victim", "sub/": ""})
	dir := folder(t, map[string]string{"plain": "plain", "busy/keep": "keep"})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(dir, "link")))
	must(os.Symlink(filepath.Join(outside, "victim.txt"), filepath.Join(dir, "result.txt")))
	must(os.Symlink(filepath.Join(outside, "sub"), filepath.Join(dir, "figures")))
	must(os.Link(filepath.Join(outside, "secret.txt"), filepath.Join(dir, "hard")))
	must(unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	must(os.WriteFile(filepath.Join(dir, "setuid"), []byte("x"), 0o600))
	must(os.Chmod(filepath.Join(dir, "setuid"), 0o755|os.ModeSetuid))
	job := program(`
send(sorted(os.listdir(".")))
open("result.txt", "w").write("result")
os.mkdir("figures"); open("figures/fig.png", "w").write("png")
open("hard", "w").write("new")
import shutil
shutil.rmtree("busy"); open("busy", "w").write("a file now")
`)
	job.Dir = dir
	res := ok(t, mustRun(t, box(t), job))
	if got, want := string(res.Frames[0]), `["busy", "plain"]`; got != want {
		t.Errorf("the program saw %s, want %s", got, want)
	}
	if want := []string{"hard", "result.txt"}; !slices.Equal(res.Changed, want) {
		t.Errorf("got changed %q, want %q", res.Changed, want)
	}
	var refused []string
	for _, r := range res.Refused {
		refused = append(refused, r.Name)
	}
	slices.Sort(refused)
	if want := []string{"busy", "fifo", "figures", "figures/fig.png", "hard", "link", "result.txt", "setuid"}; !slices.Equal(refused, want) {
		t.Errorf("got refused %q, want %q", refused, want)
	}
	for name, want := range map[string]string{"secret.txt": "secret", "victim.txt": "victim"} {
		if got := readFile(t, filepath.Join(outside, name)); got != want {
			t.Errorf("outside, %s was changed to %q", name, got)
		}
	}
	if got := leftIn(t, filepath.Join(outside, "sub")); len(got) != 0 {
		t.Errorf("files were written through the link: %q", got)
	}
	// The link and the second name are replaced, which leaves their targets.
	if got := readFile(t, filepath.Join(dir, "result.txt")); got != "result" {
		t.Errorf("got %q in result.txt", got)
	}
	if got := readFile(t, filepath.Join(dir, "busy/keep")); got != "keep" {
		t.Errorf("got %q in busy/keep", got)
	}
}

func TestReadOnlyNamesAreNotBroughtBack(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"manifest.json": "{}", "a/b/c": "c"})
	job := program(`
tried = []
for act in (lambda: open("manifest.json", "w"), lambda: os.remove("manifest.json"), lambda: open("a/b/c", "w"),
            lambda: os.rename("a/b", "a/z"), lambda: os.rename("a", "z"), lambda: open("a/b/new", "w")):
    try:
        act()
        tried.append("done")
    except OSError as e:
        tried.append(e.errno)
os.mkdir("absent"); open("absent/x", "w").write("x")
os.makedirs("a/b"); open("a/b/c", "w").write("forged")
send(tried)
`)
	job.Dir, job.ReadOnly = dir, []string{"manifest.json", "a/b", "absent"}
	res := ok(t, mustRun(t, box(t), job))
	for i, got := range frame[[]any](t, res) {
		if got == "done" && i != 4 { // the folder above can be moved, which stays inside
			t.Errorf("attempt %d succeeded", i)
		}
	}
	if !slices.ContainsFunc(res.Refused, func(r Refusal) bool { return r.Name == "absent" }) {
		t.Errorf("got refused %v, want absent among them", res.Refused)
	}
	if got := readFile(t, filepath.Join(dir, "a/b/c")); got != "c" {
		t.Errorf("got %q in a/b/c", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "absent")); err == nil {
		t.Error("a read-only name that did not exist was made")
	}
}

func TestWorkspaceOverItsLimitIsRefused(t *testing.T) {
	t.Parallel()
	s := box(t)
	dir := folder(t, map[string]string{"a": "12345", "b": "12345", "c": "12345"})
	for want, limits := range map[string]Limits{
		"more than 2 files":  {Files: 2},
		"more than 14 bytes": {Workspace: 14},
	} {
		job := program("")
		job.Dir, job.Limits = dir, limits
		if _, err := s.Run(t.Context(), job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
	job := program("open('big', 'wb').write(bytes(900000)); open('small', 'w').write('s')\n" +
		"with open('sparse', 'wb') as f: f.truncate(900000)")
	job.Dir, job.Limits = dir, Limits{Workspace: 1 << 20}
	res := ok(t, mustRun(t, s, job))
	if want := []string{"big", "small"}; !slices.Equal(res.Changed, want) {
		t.Errorf("got changed %q, want %q", res.Changed, want)
	}
}

func TestJobsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	s := box(t)
	for want, change := range map[string]func(*Job){
		`"nothing.py", which is not among Files`: func(j *Job) { j.Main = "nothing.py" },
		`file name "../x"`:                       func(j *Job) { j.Files["../x"] = nil },
		`file name "/x"`:                         func(j *Job) { j.Files["/x"] = nil },
		`file name "a\x00b"`:                     func(j *Job) { j.Files["a\x00b"] = nil },
		`read-only name ".."`:                    func(j *Job) { j.Dir, j.ReadOnly = t.TempDir(), []string{".."} },
		`there is no Dir`:                        func(j *Job) { j.ReadOnly = []string{"data"} },
		`PATH is the sandbox's own`:              func(j *Job) { j.Env = map[string]string{"PATH": "/"} },
		`variable "A=B" cannot`:                  func(j *Job) { j.Env = map[string]string{"A=B": ""} },
		`open the workspace`:                     func(j *Job) { j.Dir = "/does/not/exist" },
		`can be at most 5m0s`:                    func(j *Job) { j.Limits.Wall = MaxWall + 1 },
	} {
		job := program("")
		change(job)
		if _, err := s.Run(t.Context(), job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %s", err, want)
		}
	}
	if _, err := s.Run(t.Context(), nil); err == nil {
		t.Error("a nil job ran")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Run(ctx, program("")); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

func TestProgramFilesMayLieInFolders(t *testing.T) {
	t.Parallel()
	job := program("sys.path.insert(0, '/job')\nfrom pkg.deep import mod\nsend([mod.value, open('/job/data.bin', 'rb').read().hex()])")
	job.Files["pkg/deep/mod.py"] = []byte("value = 42\n")
	job.Files["data.bin"] = []byte{0, 255}
	if got := string(ok(t, mustRun(t, box(t), job)).Frames[0]); got != `[42, "00ff"]` {
		t.Errorf("got %s", got)
	}
}

// A program can leave folders that are shut and deeper than there are
// descriptors; the stage goes all the same.
func TestStageIsRemovedWhateverIsInIt(t *testing.T) {
	t.Parallel()
	base := stageBase(t)
	s, err := Open(t.Context(), &Options{TempDir: base})
	if err != nil {
		box(t)
		t.Fatal(err)
	}
	dir := folder(t, nil)
	job := program(`
os.mkdir("shut"); os.mkdir("shut/er"); open("shut/er/file", "w").close(); os.chmod("shut/er", 0); os.chmod("shut", 0)
top = os.getcwd()
os.mkdir("deep"); os.chdir("deep")
try:
    for i in range(3000):
        os.mkdir("d"); os.chdir("d")
except OSError as e:
    print(e)
os.chdir(top)
os.chmod(top, 0)
`)
	job.Dir = dir
	job.Limits.Files = 10_000
	res := mustRun(t, s, job)
	if left := leftIn(t, base); len(left) != 0 {
		t.Errorf("the folder for stages holds %q", left)
	}
	// The watch may end it for its depth, and then nothing comes back. Without
	// root, what is shut cannot be read, and the result says so.
	want := []string{"shut/er/file"}
	switch {
	case res.ExitCode != 0:
		want = nil
	case os.Getuid() != 0:
		want = nil
		if len(res.Refused) == 0 {
			t.Error("nothing came back, and nothing is said of it")
		}
	}
	if left := leftIn(t, dir); !slices.Equal(left, want) {
		t.Errorf("the workspace holds %q after exit %d, want %q", left, res.ExitCode, want)
	}
}

func TestStagesOfKilledOwnersAreSwept(t *testing.T) {
	t.Parallel()
	base := stageBase(t)
	for _, name := range []string{"old", "held", "fresh"} {
		if err := os.MkdirAll(filepath.Join(base, stagePrefix+name, "ws", "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.Create(filepath.Join(base, stagePrefix+"held", lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := unix.Flock(int(held.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	sweepStages(base, 0, os.Getuid())
	if got := leftIn(t, base); len(got) != 4 {
		t.Errorf("fresh stages were swept: %q are left", got)
	}
	for _, name := range []string{"old", "held"} {
		dir, err := os.Open(base)
		if err != nil {
			t.Fatal(err)
		}
		sweepStage(dir, stagePrefix+name, []int{os.Getuid()}, 0)
		_ = dir.Close()
	}
	if got, want := leftIn(t, base), []string{stagePrefix + "fresh/ws/x", stagePrefix + "held/lock", stagePrefix + "held/ws/x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBaseMustBeInReach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // its parent is the caller's alone
	if err := os.Chmod(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	other := os.Getuid() + 1
	if _, err := findBase(dir, other); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("uid %d may not reach", other)) {
		t.Errorf("got error %v", err)
	}
	if got, err := findBase(dir, os.Getuid()); err != nil {
		t.Errorf("got %q, %v for the owner", got, err)
	}
	if got, err := findBase("", other); err != nil {
		t.Errorf("got %q, %v for the default", got, err)
	}
}

// stageBase returns an empty folder that any user may search.
func stageBase(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("/tmp", "helios-base-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	return base
}

// leftIn lists what lies in a folder: files, and folders that are empty.
func leftIn(t *testing.T, dir string) []string {
	t.Helper()
	found := []string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || path == dir {
			return err
		}
		if info.IsDir() {
			if entries, _ := os.ReadDir(path); len(entries) > 0 {
				return nil
			}
		}
		name, _ := filepath.Rel(dir, path)
		found = append(found, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}
