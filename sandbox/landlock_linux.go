package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Landlock lets a process give up rights for itself and all that it starts, for
// good and without being root: rights to files, to TCP ports, and to signals and
// abstract sockets that lead out of what was restricted.
//
// It is here in two ways. Under namespaces it is a second wall behind the first.
// As a layer of its own, on a host that allows no namespaces, it is the only
// wall for files and signals, and the system-call filter sees to what it does
// not know (see landlockOnly in the filter).
//
// It is never asked for "as far as possible": a ruleset names one version of the
// kernel's interface, all of whose rights it takes away, and fails where the
// kernel has less. Which version that is was asked of the kernel before, and is
// what Describe says.

// landlockVersions are the rights that each version of the interface can take
// away; a kernel that knows more than the last is asked for the last.
var landlockVersions = []landlock.Config{
	{}, landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6,
	landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
}

// Versions from which on a right can be taken away.
const (
	landlockTruncate = 3 // Linux 6.2
	landlockTCP      = 4 // Linux 6.7
	landlockScopes   = 6 // Linux 6.12: signals and abstract sockets
	landlockSockets  = 9 // sockets with a name in the file system
)

// landlockVersion asks the kernel for its version of Landlock; 0 means that it
// has none, or was started without it. The list of security modules in
// /sys/kernel/security is often not mounted, so it is not what is asked.
func landlockVersion() int {
	version, err := ll.LandlockGetABIVersion()
	if err != nil || version < 0 {
		return 0
	}
	return min(version, len(landlockVersions)-1)
}

// A ruleset is what Landlock leaves a process. It travels to the child that
// applies it as JSON.
type ruleset struct {
	Version int // of the kernel's interface; everything that it knows is taken away but for what follows

	// NoFiles leaves files alone. Whoever has given up rights to files can no
	// longer mount, so this is what a launcher that still has to mount can bear.
	NoFiles bool

	Execute []string // files that may be run, and read
	Read    []string // files and folders with all below that may be read
	Use     []string // devices that may be read and written
	Change  []string // folders in which all may be read, made, written, moved and removed, but not run
}

// The rights behind the fields of a ruleset. Making devices, FIFOs and sockets
// and sending requests to devices are in none of them.
const (
	rightsToRead    = ll.AccessFSReadFile | ll.AccessFSReadDir
	rightsToExecute = ll.AccessFSReadFile | ll.AccessFSExecute
	rightsToUse     = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
	rightsToChange  = rightsToRead | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRemoveDir |
		ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSym | ll.AccessFSRefer
	rightsToFiles = ll.AccessFSExecute | ll.AccessFSWriteFile | ll.AccessFSReadFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
)

func (r *ruleset) config() (landlock.Config, []landlock.Rule, error) {
	if r.Version <= 0 || r.Version >= len(landlockVersions) {
		return landlock.Config{}, nil, fmt.Errorf("there is no version %d of Landlock", r.Version)
	}
	config := landlockVersions[r.Version]
	if r.NoFiles {
		config.HandledAccessFS = 0
		return config, nil, nil
	}
	var rules []landlock.Rule
	for _, grant := range []struct {
		paths  []string
		rights landlock.AccessFSSet
	}{{r.Execute, rightsToExecute}, {r.Read, rightsToRead}, {r.Use, rightsToUse}, {r.Change, rightsToChange}} {
		for _, path := range grant.paths {
			info, err := os.Stat(path)
			if err != nil {
				return config, nil, err
			}
			rights := grant.rights & config.HandledAccessFS
			if !info.IsDir() {
				rights &= rightsToFiles // the kernel refuses others for a file
			}
			rules = append(rules, landlock.PathAccess(rights, path))
		}
	}
	return config, rules, nil
}

// restrictThread takes the rights away from the calling thread, which the caller
// has locked and which is about to become another program by exec. The other
// threads of this process keep theirs, and end at exec.
func (r *ruleset) restrictThread() error {
	config, rules, err := r.config()
	if err != nil {
		return fmt.Errorf("restrict the program by Landlock: %w", err)
	}
	fd, flags, err := config.NewRulesetFD(rules...)
	if err != nil {
		return fmt.Errorf("restrict the program by Landlock: %w", err)
	}
	if fd < 0 { // the library's way to say that nothing is restricted
		return errors.New("restrict the program by Landlock: version " + fmt.Sprint(r.Version) + " has nothing to restrict")
	}
	defer unix.Close(fd)
	if err := noNewPrivileges(); err != nil {
		return err
	}
	if err := ll.LandlockRestrictSelf(fd, flags); err != nil {
		return fmt.Errorf("restrict the program by Landlock: %w", err)
	}
	return nil
}

// restrictProcess takes the rights away from every thread of this process, which
// goes on as it is.
func (r *ruleset) restrictProcess() error {
	config, rules, err := r.config()
	if err == nil {
		err = config.Restrict(rules...)
	}
	if err != nil {
		return fmt.Errorf("restrict the program by Landlock: %w", err)
	}
	return nil
}

// noNewPrivileges has the calling thread and what it starts gain nothing by
// running a setuid file. Landlock and the filter both demand it.
func noNewPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	return nil
}

// describe says in words what is taken away.
func (r *ruleset) describe() string {
	if r == nil || r.Version <= 0 {
		return "Landlock: not in force, since this kernel has none"
	}
	var parts, missing []string
	note := func(from int, what string) {
		if r.Version >= from {
			parts = append(parts, what)
		} else {
			missing = append(missing, what)
		}
	}
	if !r.NoFiles {
		note(1, "files")
	}
	note(landlockTCP, "TCP")
	note(landlockScopes, "signals and abstract sockets that lead out")
	if !r.NoFiles {
		note(landlockSockets, "sockets with a file name")
	}
	text := fmt.Sprintf("Landlock (version %d): %s", r.Version, strings.Join(parts, ", "))
	if len(parts) == 0 {
		text = fmt.Sprintf("Landlock (version %d): nothing", r.Version)
	}
	if len(missing) > 0 {
		text += "; not known to this kernel: " + strings.Join(missing, ", ")
	}
	if r.NoFiles {
		text += "; not for files, since whoever gives those up can no longer mount"
	}
	return text
}
