package sandbox

import (
	"fmt"
	"runtime"
	"strings"
)

// describe names the layer, the caps of the default limits and how each is
// held, and what is open.
func (b *bubblewrap) describe() string {
	limits, _ := Limits{}.withDefaults(false)
	who := fmt.Sprintf("programs run as uid %d, who is the caller", b.uid)
	if b.asOther {
		who = fmt.Sprintf("the caller is root, so programs run as uid %d", b.uid)
	}
	groups := b.groups
	memory := fmt.Sprintf("memory %s for each process (RLIMIT_AS) and for all together (cgroup v%d)", size(limits.Memory), groups.version)
	if groups.memory == "" {
		memory = fmt.Sprintf("memory %s for each process (RLIMIT_AS) and for all together (added up every %v and then killed, since no memory cgroup can be written)", size(limits.Memory), watchEvery)
	}
	processes := fmt.Sprintf("%d processes (RLIMIT_NPROC in a user namespace of its own)", limits.Processes)
	if groups.pids != "" {
		processes = fmt.Sprintf("%d processes (RLIMIT_NPROC and cgroup v%d)", limits.Processes, groups.version)
	}
	return strings.Join([]string{
		"Layer: bubblewrap (" + b.path + "), with namespaces of its own for users, processes, mounts, network, IPC, host name and cgroups; no further user namespaces can be made.",
		"System calls: an allow list for " + runtime.GOARCH + "; other architectures are killed; no file can be made setuid.",
		"User: " + who + "; no capabilities, no new privileges.",
		"Network: none.",
		fmt.Sprintf("Files: a read-only root with Python and its libraries; the workspace is a copy, and only regular files come back; %s in a file, %s in the workspace, %s in /tmp.", size(limits.FileSize), size(limits.Workspace), size(limits.Temp)),
		fmt.Sprintf("Caps by default: %s; %s; %v of time.", memory, processes, limits.Wall),
		"Not in force: files of the workspace can be executed, though with no more rights than the program has; Landlock is not used; a file that is removed while open counts only against the room left on the disk.",
	}, "\n")
}
