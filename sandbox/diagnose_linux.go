package sandbox

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// facts are what a host says about user namespaces, as far as it says so.
type facts struct {
	appArmor    string // kernel.apparmor_restrict_unprivileged_userns
	unprivClone string // kernel.unprivileged_userns_clone, Debian's
	maxSpaces   string // user.max_user_namespaces
	container   bool
	profiled    bool // AppArmor has a profile for bwrap
}

func readFacts() facts {
	value := func(path string) string {
		data, _ := os.ReadFile(path)
		return strings.TrimSpace(string(data))
	}
	f := facts{
		appArmor:    value("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
		unprivClone: value("/proc/sys/kernel/unprivileged_userns_clone"),
		maxSpaces:   value("/proc/sys/user/max_user_namespaces"),
	}
	// The marks alone may be left from the image that a machine was made of.
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv", "/run/systemd/container", "/var/run/secrets/kubernetes.io"} {
		if _, err := os.Stat(mark); err == nil && !mayGainSysAdmin(value("/proc/self/status")) {
			f.container = true
		}
	}
	for _, name := range []string{"/etc/apparmor.d/bwrap-userns-restrict", "/etc/apparmor.d/bwrap"} {
		if _, err := os.Stat(name); err == nil {
			f.profiled = true
		}
	}
	return f
}

// mayGainSysAdmin is true when the bounding set of a process, as its status
// gives it, holds CAP_SYS_ADMIN, which a container's by default does not.
func mayGainSysAdmin(status string) bool {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, "CapBnd:"); ok {
			bounds, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			return err == nil && bounds&(1<<unix.CAP_SYS_ADMIN) != 0
		}
	}
	return false
}

// appArmorLine loads the profile for bwrap that Ubuntu 24.04 ships without
// loading it; from 25.04 on it is loaded as it comes.
const appArmorLine = "sudo apt-get install -y apparmor-profiles && " +
	"sudo install -m 0644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && " +
	"sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict"

const containerLine = "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined ..."

// diagnose turns what the trial ran into into a reason and a remedy.
func diagnose(err error, f facts) *Unavailable {
	if already, ok := errors.AsType[*Unavailable](err); ok {
		return already
	}
	if errors.Is(err, errOpen) {
		return &Unavailable{
			Reason: oneSentence(err.Error()),
			Remedy: "report this with the names and versions of the system, its kernel and its bubblewrap",
		}
	}
	var launch *launchError
	if !errors.As(err, &launch) {
		return &Unavailable{
			Reason: oneSentence("the trial run failed: " + err.Error()),
			Remedy: "make the folder for temporary files writable, or name another one in TMPDIR",
		}
	}
	switch {
	case strings.Contains(launch.said, "nknown option"):
		return &Unavailable{
			Reason: oneSentence("this bubblewrap is older than 0.8: " + launch.said),
			Remedy: "install bubblewrap 0.8 or newer, which Debian 12 and Ubuntu 24.04 have",
		}
	case f.maxSpaces == "0":
		return &Unavailable{
			Reason: "this host allows no user namespaces (user.max_user_namespaces is 0)",
			Remedy: "allow them with `sudo sysctl -w user.max_user_namespaces=15000`",
		}
	case f.unprivClone == "0":
		return &Unavailable{
			Reason: "this host allows user namespaces to root alone (kernel.unprivileged_userns_clone is 0)",
			Remedy: "allow them with `sudo sysctl -w kernel.unprivileged_userns_clone=1`",
		}
	case f.container:
		return &Unavailable{
			Reason: oneSentence("this container may not make the namespaces that confine a program: " + said(launch)),
			Remedy: "start it with `" + containerLine + "`, or run on the host itself",
		}
	case f.appArmor == "1" && !f.profiled:
		return &Unavailable{
			Reason: "AppArmor keeps bubblewrap from making a user namespace, as Ubuntu 24.04 does by default, because no profile for bubblewrap is loaded",
			Remedy: "load Ubuntu's own profile with `" + appArmorLine + "`",
		}
	case f.appArmor == "1":
		return &Unavailable{
			Reason: oneSentence("AppArmor keeps bubblewrap from making a user namespace although there is a profile for it: " + said(launch)),
			Remedy: "reload the profiles with `sudo systemctl reload apparmor`",
		}
	}
	return &Unavailable{
		Reason: oneSentence("bubblewrap cannot confine a program here: " + said(launch)),
		Remedy: "see that `bwrap --unshare-all --ro-bind / / true` works for a user who is not root",
	}
}

func said(e *launchError) string {
	if e.said != "" {
		return lastLine([]byte(e.said))
	}
	return e.err.Error()
}
