package sandbox

import (
	"encoding/json"
	"time"
)

// A Job is one program to run.
type Job struct {
	// Files are the program's own files, read-only at /job, by slash-separated
	// name: "main.py", "user.py", "job.json".
	Files map[string][]byte
	// Main is the file that is run, as python3 -I -B -X utf8 /job/<Main>.
	// Isolated mode leaves /job out of sys.path; a program that imports its
	// other files adds it.
	Main string
	// Dir is the workspace on the host. The program sees a copy of it at /ws,
	// its working directory; what it wrote there comes back when it has ended.
	// "" means none: the program then starts in /tmp.
	Dir string
	// ReadOnly are names below Dir that the program may read and not change.
	ReadOnly []string
	// Env are more environment variables, as in {"MPLCONFIGDIR": "/tmp/mpl"}.
	// The ones that the sandbox sets itself cannot be replaced.
	Env map[string]string
	// Limits bound the run; zero fields mean the defaults.
	Limits Limits
	// OnFrame, when not nil, is called with each frame as it arrives, from one
	// goroutine. Frames are untrusted. It must not block for long.
	OnFrame func(Frame)
}

// Limits bound one run. A zero field means the default, which is given behind
// each.
type Limits struct {
	Wall      time.Duration // from start to kill; 60 s, at most 300 s
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
	FramesAll int64         // bytes in all frames together; 64 MiB
}

// A Frame is one JSON value that a program wrote to its result descriptor:
// four bytes of big-endian length, then the JSON. The number of that descriptor
// is in the environment variable HELIOS_RESULT_FD. Any code in the program can
// write frames: they are input to be checked, never proof of anything.
type Frame = json.RawMessage

// A Result is what came of a run.
type Result struct {
	ExitCode int // of the program; 128 + n when signal n ended it

	Stdout, Stderr       []byte // at most the limit, from the start
	StdoutCut, StderrCut bool   // more was written than is kept

	Frames     []json.RawMessage // the well-formed frames, in order
	FrameError error             // not nil: a frame was malformed or over a limit, and nothing after it was read

	TimedOut    bool // killed at Limits.Wall
	OutOfMemory bool // the kernel or the watch killed it for memory, or Python said MemoryError
	OverDisk    bool // killed for writing more than Limits.Workspace
	Wall        time.Duration

	Changed []string  // files of Dir that the program made or wrote, sorted, slash-separated
	Refused []Refusal // entries of the workspace that were not taken in or not brought back
}

// A Refusal names an entry of the workspace that was left alone, such as a
// symbolic link or a file over its limit, and why.
type Refusal struct {
	Name   string
	Reason string
}
