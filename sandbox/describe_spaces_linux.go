package sandbox

import (
	"fmt"
	"runtime"
	"strings"
)

func (s *spaces) describe() string {
	limits, _ := Limits{}.withDefaults(s.worker != nil)
	rules := &ruleset{Version: s.version}
	files := fmt.Sprintf("Files: a read-only root with Python and its libraries; nothing that can be written can be run; the workspace is a copy, and only regular files come back; %s in a file, %s in the workspace, %s in /tmp.", size(limits.FileSize), size(limits.Workspace), size(limits.Temp))
	if s.worker != nil {
		files = "Files: none, but for /proc of the worker itself."
	}
	return strings.Join([]string{
		"Layer: namespaces of this program's own making, for users, processes, mounts, network, IPC, host name and cgroups.",
		rules.describe() + ".",
		"System calls: an allow list for " + runtime.GOARCH + "; other architectures are killed; no file can be made setuid; no further namespaces can be made.",
		"User: " + s.who() + "; no capabilities, no new privileges.",
		"Network: none.",
		files,
		"Caps by default: " + s.caps(limits, s.worker != nil) + ".",
		"Not in force: a file that is removed while open counts only against the room left on the disk.",
	}, "\n")
}

// who says as whom programs run.
func (g *ground) who() string {
	if g.asOther {
		return fmt.Sprintf("the caller is root, so programs run as uid %d", g.uid)
	}
	return fmt.Sprintf("programs run as uid %d, who is the caller", g.uid)
}

// caps says how much a program may use and how that is held.
func (g *ground) caps(limits Limits, worker bool) string {
	each := "for each process (RLIMIT_AS) and "
	if worker {
		each = ""
	}
	memory := fmt.Sprintf("memory %s %sfor all together (cgroup v%d)", size(limits.Memory), each, g.groups.version)
	if g.groups.memory == "" {
		memory = fmt.Sprintf("memory %s %sfor all together (added up every %v and then killed, since no memory cgroup can be written)", size(limits.Memory), each, watchEvery)
	}
	processes := fmt.Sprintf("%d processes (RLIMIT_NPROC in a user namespace of its own)", limits.Processes)
	if g.groups.pids != "" {
		processes = fmt.Sprintf("%d processes (RLIMIT_NPROC and cgroup v%d)", limits.Processes, g.groups.version)
	}
	if limits.Wall == 0 {
		return memory + "; " + processes + "; no end of time"
	}
	return fmt.Sprintf("%s; %s; %v of time", memory, processes, limits.Wall)
}

// diagnoseSpaces turns what the trial ran into into a reason and a remedy.
func diagnoseSpaces(err error, f facts) error {
	u := diagnose(err, f)
	u.Reason = strings.Replace(u.Reason, "bubblewrap cannot confine", "namespaces of our own cannot confine", 1)
	u.Reason = strings.Replace(u.Reason, "keeps bubblewrap from", "keeps this program from", 1)
	u.Remedy = strings.Replace(u.Remedy, "`bwrap --unshare-all --ro-bind / / true`", "`unshare --user --mount true`", 1)
	return u
}
