package command

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

func TestExitCodeIsTheFirstLine(t *testing.T) {
	t.Parallel()
	tl := open(t, sh(t)).Tool()
	for code, want := range map[string]string{
		"exit 7":                   "[exit 7]\n",
		"echo out; echo err >&2":   "[exit 0]\nout\n",
		"kill -KILL $$":            "[exit 137]\n",
		"printf '[exit 0]'":        "[exit 0]\n[exit 0]",
		`printf 'a\377b\303'`:      "[exit 0]\na\uFFFDb\uFFFD",
		`printf '%s' "$0" "$PWD0"`: "[exit 0]\n/bin/sh",
	} {
		res, err := call(t, tl, script(code))
		if err != nil || res.IsError || res.Text() != want {
			t.Errorf("%s: got %q, error %v, want %q", code, res.Text(), err, want)
		}
	}
}

func TestDataIsTheResult(t *testing.T) {
	t.Parallel()
	res, err := call(t, open(t, sh(t)).Tool(), script("echo '<out&>'; echo err >&2; exit 3"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(res.Data, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"exit_code": 3.0, "stdout": "<out&>\n", "stderr": "err\n", "timed_out": false, "truncated": false,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if ms, ok := got["duration_ms"].(float64); !ok || ms < 0 || ms > 60_000 {
		t.Errorf("duration_ms is %v", got["duration_ms"])
	}
}

func TestStandardErrorIsShownOnlyWhenGranted(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Stderr = true
	tl := open(t, g).Tool()
	for code, want := range map[string]string{
		"printf out; echo err >&2": "[exit 0]\nout\n[stderr]\nerr\n",
		"echo out":                 "[exit 0]\nout\n",
		"echo err >&2":             "[exit 0]\n[stderr]\nerr\n",
	} {
		if res, err := call(t, tl, script(code)); err != nil || res.Text() != want {
			t.Errorf("%s: got %q, error %v, want %q", code, res.Text(), err, want)
		}
	}
}

func TestNothingOfTheHostIsInherited(t *testing.T) {
	g := sh(t)
	t.Setenv("HELIOS_COMMAND_TEST", "leaked")
	g.Env = map[string]string{"A": "", "LONG": "x y=z"}
	res := run(t, open(t, g), `echo "${USER:-unset} ${HOME:-unset} ${HELIOS_COMMAND_TEST:-unset}|${A-unset}|$LONG|$PATH"`)
	if want := "unset unset unset||x y=z|/usr/local/bin:/usr/bin:/bin\n"; res.Stdout != want {
		t.Errorf("got %q, want %q", res.Stdout, want)
	}
	g.Path = "/nowhere"
	if res := run(t, open(t, g), `echo "$PATH"`); res.Stdout != "/nowhere\n" {
		t.Errorf("got PATH %q, want the granted one", res.Stdout)
	}
	env := g
	env.Program, env.Path = "/usr/bin/env", ""
	res, err := open(t, env).Run(t.Context(), Input{})
	if want := "A=\nLONG=x y=z\nPATH=/usr/local/bin:/usr/bin:/bin\n"; err != nil || res.Stdout != want {
		t.Errorf("the environment is %q, error %v, want %q", res.Stdout, err, want)
	}
}

func TestThereIsNoShell(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Program = "/bin/echo"
	res, err := open(t, g).Run(t.Context(), Input{Args: []string{"$HOME", "*", "a  b", "`id`", "> x", "", "'"}})
	if want := "$HOME * a  b `id` > x  '\n"; err != nil || res.Stdout != want {
		t.Errorf("got %q, error %v, want %q", res.Stdout, err, want)
	}
}

func TestStandardInputIsEmptyOrGiven(t *testing.T) {
	t.Parallel()
	g := sh(t)
	if _, err := call(t, open(t, g).Tool(), `{"args":["-c","cat"],"stdin":"x"}`); err == nil {
		t.Error("standard input was taken that is not granted")
	}
	if res := run(t, open(t, g), "cat; echo end"); res.Stdout != "end\n" {
		t.Errorf("got %q, want no input", res.Stdout)
	}
	g.Stdin = true
	res, err := call(t, open(t, g).Tool(), `{"args":["-c","cat"],"stdin":"a\nb"}`)
	if err != nil || res.Text() != "[exit 0]\na\nb" {
		t.Errorf("got %q, error %v, want the input", res.Text(), err)
	}
}

// Nobody reads it; neither the program nor the host waits for that.
func TestMuchInputToOneThatDoesNotReadIsNoDeadlock(t *testing.T) {
	t.Parallel()
	c := open(t, sh(t))
	in := Input{Args: []string{"-c", "echo done"}, Stdin: strings.Repeat("x", 10<<20)}
	if res, err := c.Run(t.Context(), in); err != nil || res.Stdout != "done\n" {
		t.Errorf("got %+v, error %v", res, err)
	}
	in.Args = []string{"-c", "sleep 600"}
	in.Timeout = 50 * time.Millisecond
	if res, err := c.Run(t.Context(), in); err != nil || !res.TimedOut {
		t.Errorf("got %+v, error %v, want a timeout", res, err)
	}
	in = Input{Args: []string{"-c", "cat | wc -c"}, Stdin: in.Stdin}
	if res, err := c.Run(t.Context(), in); err != nil || strings.TrimSpace(res.Stdout) != strconv.Itoa(10<<20) {
		t.Errorf("got %+v, error %v", res, err)
	}
}

func TestReasonOfTheCheckIsToldAsItIs(t *testing.T) {
	t.Parallel()
	g := sh(t)
	reason := errors.New("only -c is granted: 100% sure")
	g.Check = func(args []string) error {
		args[0] = "changed" // what runs is what the model sent
		if len(args) > 3 {
			return reason
		}
		return nil
	}
	tl := open(t, g).Tool()
	_, err := call(t, tl, `{"args":["a","b","c","d"]}`)
	if err == nil || err.Error() != reason.Error() || !errors.Is(err, reason) {
		t.Errorf("got error %v, want %v", err, reason)
	}
	if res, err := call(t, tl, script("echo ran")); err != nil || res.Text() != "[exit 0]\nran\n" {
		t.Errorf("got %q, error %v", res.Text(), err)
	}
}

func TestArgumentsAreStrings(t *testing.T) {
	t.Parallel()
	tl := open(t, sh(t)).Tool()
	for _, bad := range []string{`{}`, `{"args":"-c"}`, `{"args":[1]}`, `{"args":[null]}`, `{"args":null}`, `{"args":[],"cwd":"/"}`, `{"args":["-c","a\u0000b"]}`} {
		if res, err := call(t, tl, bad); err == nil {
			t.Errorf("%s: got %q, want an error", bad, res.Text())
		}
	}
}

func TestTimeoutIsAResult(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Timeout = 300 * time.Millisecond
	began := time.Now()
	res, err := call(t, open(t, g).Tool(), script("echo first; exec sleep 30"))
	if took := time.Since(began); took > 5*time.Second || took < g.Timeout {
		t.Errorf("it took %v", took)
	}
	if err != nil || res.IsError || res.Text() != "[exit -1 TIMEOUT]\nfirst\n" {
		t.Errorf("got %q, error %v", res.Text(), err)
	}
	if !strings.Contains(string(res.Data), `"exit_code":-1`) || !strings.Contains(string(res.Data), `"timed_out":true`) {
		t.Errorf("got data %s", res.Data)
	}
}

func TestProgramIsAskedToEndBeforeItIsKilled(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Timeout, g.Grace = 300*time.Millisecond, time.Minute
	res := run(t, open(t, g), `trap 'echo bye; exit' TERM; while :; do sleep 0.01; done`)
	if !res.TimedOut || res.Stdout != "bye\n" {
		t.Errorf("got %+v, want a farewell", res)
	}
	g.Grace = 20 * time.Millisecond
	res = run(t, open(t, g), `trap '' TERM; while :; do sleep 0.01; done`)
	if !res.TimedOut || res.Duration < g.Timeout+g.Grace || res.Duration > 20*time.Second {
		t.Errorf("got %+v, want it killed after the grace", res)
	}
}

func TestModelMaySetATimeoutWithinTheGrant(t *testing.T) {
	t.Parallel()
	g := sh(t)
	if _, err := call(t, open(t, g).Tool(), `{"args":[],"timeout_seconds":1}`); err == nil {
		t.Error("a timeout was taken that is not granted")
	}
	g.Timeout, g.MaxTimeout = 200*time.Millisecond, 400*time.Millisecond
	c := open(t, g)
	for in, want := range map[string]time.Duration{
		``: g.Timeout, `,"timeout_seconds":0.3`: 300 * time.Millisecond,
		`,"timeout_seconds":1e300`: g.MaxTimeout, `,"timeout_seconds":1e-300`: 1,
	} {
		input, err := c.input(json.RawMessage(`{"args":["-c","sleep 600"]` + in + `}`))
		if got := c.timeout(input); got != want || err != nil {
			t.Errorf("%s: got %v, error %v, want %v", in, got, err, want)
		}
	}
	if got := c.timeout(Input{Timeout: time.Hour}); got != g.MaxTimeout {
		t.Errorf("an hour became %v, want %v", got, g.MaxTimeout)
	}
	res, err := call(t, c.Tool(), `{"args":["-c","sleep 600"],"timeout_seconds":3600}`)
	if err != nil || !strings.HasPrefix(res.Text(), "[exit -1 TIMEOUT]") {
		t.Errorf("got %q, error %v, want a timeout", res.Text(), err)
	}
	for _, bad := range []string{"0", "-1"} {
		if _, err := call(t, c.Tool(), `{"args":[],"timeout_seconds":`+bad+`}`); err == nil {
			t.Errorf("a timeout of %s was taken", bad)
		}
	}
}

func TestOutputIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.MaxOutput, g.Stderr = 2048, true
	c := open(t, g)
	res, err := call(t, c.Tool(), script("head -c 100000 /dev/zero | tr '\\0' x"))
	if err != nil {
		t.Fatal(err)
	}
	text := res.Text()
	if !strings.HasPrefix(text, "[exit 0 TRUNCATED]\nxxx") || !strings.HasSuffix(text, "x\n[cut: only the first 2048 bytes are shown]\n") || len(text) >= 4096 {
		t.Errorf("got %d bytes: %.40q ... %q", len(text), text, text[len(text)-60:])
	}
	both := run(t, c, "head -c 3000 /dev/zero | tr '\\0' x >&2; echo whole")
	if !both.Truncated || both.Stdout != "whole\n" || len(both.Stderr) < 2048 {
		t.Errorf("got %+v, want standard error cut and output whole", both)
	}
	if exact := run(t, c, "head -c 2048 /dev/zero | tr '\\0' x"); exact.Truncated || len(exact.Stdout) != 2048 {
		t.Errorf("2048 of 2048 bytes were cut: %d, %v", len(exact.Stdout), exact.Truncated)
	}
	if wide := run(t, c, "head -c 4095 /dev/zero | tr '\\0' x | sed 's/x/é/2048;s/x/é/g'"); !strings.Contains(wide.Stdout, "é\n[cut") {
		t.Errorf("a character was cut: %q", wide.Stdout[len(wide.Stdout)-60:])
	}
}

func TestWorkingFolderIsNewAndRemoved(t *testing.T) {
	t.Parallel()
	c := open(t, sh(t))
	res := run(t, c, "pwd; ls -A | wc -l; stat -c %a . 2>/dev/null || stat -f %Lp .; echo x > file")
	lines := strings.Fields(res.Stdout)
	if len(lines) != 3 || lines[1] != "0" || lines[2] != "700" {
		t.Fatalf("got %q, want an empty folder with mode 700", res.Stdout)
	}
	if _, err := os.Lstat(lines[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	g := sh(t)
	g.Dir = t.TempDir()
	run(t, open(t, g), "echo kept > file")
	if data, err := os.ReadFile(filepath.Join(g.Dir, "file")); err != nil || string(data) != "kept\n" {
		t.Errorf("in the granted folder: got %q, error %v", data, err)
	}
}

func TestOneCallTooManyIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.MaxConcurrent, g.Dir = 2, t.TempDir()
	c := open(t, g)
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for i := range 2 {
		calls.Go(func() {
			_, err := c.Run(ctx, Input{Args: []string{"-c", "touch up" + strconv.Itoa(i) + "; sleep 600"}})
			wantErr(t, "cancelled", err, context.Canceled)
		})
	}
	until(t, "both", func() bool {
		up, _ := filepath.Glob(filepath.Join(g.Dir, "up*"))
		return len(up) == 2
	})
	_, err := call(t, c.Tool(), script("touch third"))
	wantErr(t, "the third", err, ErrBusy)
	cancel()
	calls.Wait()
	if _, err := os.Lstat(filepath.Join(g.Dir, "third")); err == nil {
		t.Error("the refused call ran")
	}
	run(t, c, "true")
}

// The permit is given back when the folder is gone, not before.
func TestPermitIsGivenBackAfterTheCleanup(t *testing.T) {
	t.Parallel()
	g := sh(t)
	note := filepath.Join(t.TempDir(), "note")
	g.MaxConcurrent, g.Env = 1, map[string]string{"NOTE": note}
	c := open(t, g)
	var call sync.WaitGroup
	call.Go(func() {
		run(t, c, `i=0; while [ $i -lt 3000 ]; do : > f$i; i=$((i+1)); done; pwd > "$NOTE"`)
	})
	until(t, "the folder", func() bool { data, _ := os.ReadFile(note); return len(data) > 0 })
	dir, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the permit", func() bool { return !errors.Is(c.enter(), ErrBusy) })
	if _, err := os.Lstat(strings.TrimSpace(string(dir))); err == nil {
		t.Error("the permit is free while the folder is there")
	}
	c.leave()
	call.Wait()
}

func TestFailedStartGivesThePermitBack(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.MaxConcurrent = 1
	g.Program = filepath.Join(t.TempDir(), "prog")
	if err := os.WriteFile(g.Program, []byte("\x7fELF no program at all"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := open(t, g)
	for range 3 {
		if res, err := c.Run(t.Context(), Input{}); err == nil || errors.Is(err, ErrBusy) {
			t.Errorf("got %+v, error %v, want one that says that it could not be started", res, err)
		}
	}
	huge := Input{Args: []string{strings.Repeat("x", 8<<20)}}
	if _, err := open(t, sh(t)).Run(t.Context(), huge); err == nil || len(err.Error()) > 200 {
		t.Errorf("an argument of 8 MiB: got error %.300v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "helios-command-none*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestCloseEndsWhatRuns(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Dir = t.TempDir()
	c, err := Open(g)
	if err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for i := range 3 {
		calls.Go(func() {
			_, err := c.Run(t.Context(), Input{Args: []string{"-c", "trap '' TERM; touch up" + strconv.Itoa(i) + "; while :; do sleep 0.01; done"}})
			wantErr(t, "running", err, ErrClosed)
		})
	}
	until(t, "all", func() bool {
		up, _ := filepath.Glob(filepath.Join(g.Dir, "up*"))
		return len(up) == 3
	})
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	calls.Wait()
	_, err = c.Run(t.Context(), Input{})
	wantErr(t, "after Close", err, ErrClosed)
}

func TestCancelledContextStartsNothing(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Dir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := open(t, g).Run(ctx, Input{Args: []string{"-c", "touch ran"}})
	wantErr(t, "Run", err, context.Canceled)
	if _, err := os.Lstat(filepath.Join(g.Dir, "ran")); err == nil {
		t.Error("it ran")
	}
}

type host struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *host) Progress(p llm.Part) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.WriteString(p.Text)
}

func (h *host) Ask(context.Context, tool.Question) (tool.Answer, error) {
	return tool.Answer{}, tool.ErrNoAsker
}

func (h *host) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

func TestProgressShowsOutputWhileItComes(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Progress, g.MaxOutput, g.Dir = true, 1024, t.TempDir()
	g.setSecret("KEY", value)
	h := &host{}
	ctx := tool.WithCall(t.Context(), &tool.Call{Host: h})
	var call sync.WaitGroup
	call.Go(func() {
		// A character and a secret come in two halves each.
		_, err := callIn(ctx, t, open(t, g).Tool(), script(`printf 'padding so that it is not held back \303'; printf '\251 a&b<'; printf 'c>12 and on it goes%0300d\n' 0
			while [ ! -e go ]; do sleep 0.01; done; head -c 3000 /dev/zero | tr '\0' x; echo hidden >&2`))
		if err != nil {
			t.Error(err)
		}
	})
	until(t, "progress", func() bool { return strings.Contains(h.String(), "<redacted:KEY> and") })
	if err := os.WriteFile(filepath.Join(g.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	call.Wait()
	got := h.String()
	if !strings.HasPrefix(got, "padding so that it is not held back é <redacted:KEY> and on it goes000") || len(got) != 1024 || strings.Contains(got, "hidden") {
		t.Errorf("got %d bytes %.120q", len(got), got)
	}
}

func TestKeyIsTheCommandLine(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Key, g.Stdin = Line, true
	tl := open(t, g).Tool()
	for args, want := range map[string]string{
		`{"args":["status","-s","--a=b/c"]}`:     "status -s --a=b/c",
		`{"args":[]}`:                            "",
		`{"args":["status -s"]}`:                 `"status -s"`,
		`{"args":["commit","-m","it's \"it\""]}`: `commit -m "it's \"it\""`,
		`{"args":["","a\nb","\u202ex"]}`:         `"" "a\nb" "\u202ex"`,
		`{"args":["x"],"stdin":"a"}`:             "x < sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
	} {
		checked, err := tl.Check(json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tl.Key(checked); got != want || err != nil {
			t.Errorf("%s: got %q, error %v, want %q", args, got, err, want)
		}
	}
}
