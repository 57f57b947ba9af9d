package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// A Job is one program to run.
type Job struct {
	// Files are the program's own files, read-only at /job, by slash-separated
	// name: "main.py", "user.py", "job.json". Under Landlock alone they are in the
	// folder of __file__, which is right in every layer.
	Files map[string][]byte
	// Main is the file that is run, as python3 -I -B -X utf8 /job/<Main>.
	// Isolated mode leaves /job out of sys.path; a program that imports its
	// other files adds it.
	Main string
	// Dir is the workspace on the host. The program sees a copy of it at /ws,
	// its working directory, which under Landlock alone has another path. When it has ended by itself, the regular files that
	// it made or wrote come back, each one whole; a file that it removed stays on
	// the host. When it was killed, nothing comes back. What comes back is as
	// untrusted as the program, names and dot files included, so the folder should
	// be one of its own and not, say, a home folder. "" means no workspace: the
	// program then starts in /tmp.
	Dir string
	// ReadOnly are names below Dir that the program may read and not change.
	ReadOnly []string
	// Env are more environment variables, as in {"MPLCONFIGDIR": "/tmp/mpl"}.
	// The ones that the sandbox sets itself cannot be replaced.
	Env map[string]string
	// Limits bound the run; zero fields mean the defaults.
	Limits Limits
	// OnFrame, when not nil, is called with each frame as it arrives, from one
	// goroutine. Frames are untrusted. It must not block for long. It is for
	// [Sandbox.Run]: a program that stays has a socket in place of frames.
	OnFrame func(Frame)
}

// Limits bound one run. A zero field means the default, which is given behind
// each.
type Limits struct {
	Wall      time.Duration // from start to kill; 60 s, at most 300 s; of a program that stays: no limit
	Memory    int64         // bytes; 1 GiB, for each process and, where the host allows it, for all together
	Processes int           // processes and threads at one time; 64
	FileSize  int64         // bytes in one file; 200 MB
	Temp      int64         // bytes in /tmp; 256 MiB
	Workspace int64         // bytes in the workspace, copied in or written; 2 GiB
	Files     int           // files in the workspace; 10,000
	Stdout    int           // bytes kept; 1 MiB
	Stderr    int           // bytes kept; 1 MiB
	Frame     int           // bytes in one frame; 1 MiB
	Frames    int           // frames; 10,000
	FramesAll int64         // bytes in all frames together; 16 MiB
}

// MaxWall is the longest that a program of [Sandbox.Run] may run.
const MaxWall = 300 * time.Second

// withDefaults fills the zero fields, and says which field makes no sense. A
// program that stays has no wall time by default.
func (l Limits) withDefaults(stays bool) (Limits, error) {
	if l.Wall == 0 && !stays {
		l.Wall = 60 * time.Second
	}
	if l.Wall < 0 || l.Wall > MaxWall && !stays {
		return l, fmt.Errorf("Limits.Wall is %v; it can be at most %v", l.Wall, MaxWall)
	}
	wide := []struct {
		name  string
		value *int64
		zero  int64
	}{
		{"Memory", &l.Memory, 1 << 30},
		{"FileSize", &l.FileSize, 200e6},
		{"Temp", &l.Temp, 256 << 20},
		{"Workspace", &l.Workspace, 2 << 30},
		{"FramesAll", &l.FramesAll, 16 << 20},
	}
	for _, f := range wide {
		if *f.value == 0 {
			*f.value = f.zero
		}
		if *f.value < 0 {
			return l, fmt.Errorf("Limits.%s is %d; it cannot be negative", f.name, *f.value)
		}
	}
	narrow := []struct {
		name  string
		value *int
		zero  int
	}{
		{"Processes", &l.Processes, 64},
		{"Files", &l.Files, 10_000},
		{"Stdout", &l.Stdout, 1 << 20},
		{"Stderr", &l.Stderr, 1 << 20},
		{"Frame", &l.Frame, 1 << 20},
		{"Frames", &l.Frames, 10_000},
	}
	for _, f := range narrow {
		if *f.value == 0 {
			*f.value = f.zero
		}
		if *f.value < 0 {
			return l, fmt.Errorf("Limits.%s is %d; it cannot be negative", f.name, *f.value)
		}
	}
	return l, nil
}

// ownEnv are the variables that the sandbox sets; a Job cannot replace them.
var ownEnv = map[string]string{
	"PATH":                 "/usr/bin",
	"HOME":                 "/tmp",
	"TMPDIR":               "/tmp",
	"LANG":                 "C.UTF-8",
	"TZ":                   "UTC",
	"PYTHONUTF8":           "1",
	"MPLBACKEND":           "Agg",
	"OPENBLAS_NUM_THREADS": "1",
	"OMP_NUM_THREADS":      "1",
}

// These say the number of the descriptor that a program answers on.
const (
	resultVariable = "HELIOS_RESULT_FD" // frames, in a Run
	socketVariable = "HELIOS_SOCKET_FD" // the socket of a program that stays
)

// check says what is wrong with a job before anything is made for it.
func (j *Job) check() error {
	if j == nil {
		return errors.New("there is no job")
	}
	if _, ok := j.Files[j.Main]; !ok {
		return fmt.Errorf("Main is %q, which is not among Files", j.Main)
	}
	for name := range j.Files {
		if !plainName(name) {
			return fmt.Errorf("the file name %q is not a relative, slash-separated path", name)
		}
	}
	for _, name := range j.ReadOnly {
		if !plainName(name) {
			return fmt.Errorf("the read-only name %q is not a relative, slash-separated path", name)
		}
	}
	if len(j.ReadOnly) > 0 && j.Dir == "" {
		return fmt.Errorf("ReadOnly names %q, but there is no Dir", j.ReadOnly[0])
	}
	for name, value := range j.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return fmt.Errorf("the environment variable %q cannot be set", name)
		}
		if _, own := ownEnv[name]; own || name == resultVariable || name == socketVariable {
			return fmt.Errorf("the environment variable %s is the sandbox's own", name)
		}
	}
	return nil
}

// plainName is true for a path that stays below where it is used.
func plainName(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.Contains(name, "\\") && !strings.Contains(name, "\x00")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// A Frame is one JSON value that a program wrote to its result descriptor:
// four bytes of big-endian length, then the JSON. The number of that descriptor
// is in the environment variable HELIOS_RESULT_FD. Any code in the program can
// write frames: they are input to be checked, never proof of anything.
type Frame = json.RawMessage

// A Result is what came of a run.
type Result struct {
	ExitCode int // of the program; 128 + n when signal n ended it, 137 when it was killed

	Stdout, Stderr       []byte // at most the limit, from the start
	StdoutCut, StderrCut bool   // more was written than is kept

	Frames     []json.RawMessage // the well-formed frames, in order
	FrameError error             // not nil: a frame was malformed or over a limit, and nothing after it was read

	TimedOut    bool // killed at Limits.Wall
	OutOfMemory bool // the kernel or the watch killed it for memory, or Python said MemoryError
	OverDisk    bool // killed for writing more than Limits.Workspace
	Wall        time.Duration

	Changed []string  // files of Dir that the program made or wrote, sorted, slash-separated
	Refused []Refusal // entries of the workspace that were not taken in or not brought back, at most 100
}

// A Refusal names an entry of the workspace that was left alone, such as a
// symbolic link or a file over its limit, and why.
type Refusal struct {
	Name   string
	Reason string
}
