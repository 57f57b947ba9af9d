package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// shimName is what the re-executed child is called, which is how Init knows it.
const shimName = "helios-sandbox-shim"

// indirect is a command that is this program again, which reads its order and
// becomes the launcher. extra are its descriptors from 3 to fdSync, joins those
// by which it enters its cgroups. The order's file is the caller's to close.
func indirect(order *shimConfig, extra, joins []*os.File) (*exec.Cmd, *os.File, error) {
	order.Groups = len(joins)
	text, err := json.Marshal(order)
	if err != nil {
		return nil, nil, fmt.Errorf("write the configuration: %w", err)
	}
	config, err := memoryFile("configuration", text)
	if err != nil {
		return nil, nil, err
	}
	return &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{shimName}, Env: []string{}, Dir: "/",
		// A group of its own, so that what the launcher forks before the program
		// has a session of its own can be killed with it.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		ExtraFiles:  slices.Concat(extra, []*os.File{config}, joins),
	}, config, nil
}

// A shimConfig is what the child needs to become the launcher. It arrives in a
// file in memory: an argument could be read by every user of the host.
type shimConfig struct {
	Path     string
	Args     []string
	UID, GID int // 0: stay who we are
	Owner    int // the process that started us
	Groups   int // how many descriptors from fdGroups on are for joining cgroups
}

// runShim does not return when this process is the re-executed child.
func runShim() {
	if len(os.Args) != 1 || os.Args[0] != shimName {
		return
	}
	err := becomeLauncher()
	fmt.Fprintf(os.Stderr, "%s: %v\n", shimName, err)
	if errors.Is(err, errGroup) {
		os.Exit(exitNoGroup)
	}
	os.Exit(1)
}

// exitNoGroup is how the child ends when it could not join a cgroup.
const exitNoGroup = 124

// becomeLauncher drops what the launcher must not have, and replaces this
// process by it. It returns only when something failed.
func becomeLauncher() error {
	config, err := readConfig(fdConfig)
	if err != nil {
		return err
	}
	// The thread that joins is the one that becomes the launcher.
	runtime.LockOSThread()
	if err := join(fdGroups, config.Groups); err != nil {
		return err
	}
	if err := keepDescriptors(fdThird, fdSync); err != nil {
		return err
	}
	if err := dropTo(config.UID, config.GID); err != nil {
		return err
	}
	if err := dieWith(config.Owner); err != nil {
		return err
	}
	// The environment is empty because the launcher stays process 1 inside, and
	// its environment can be read there in /proc/1/environ.
	err = syscall.Exec(config.Path, config.Args, []string{})
	return fmt.Errorf("start %s: %w", config.Path, err)
}

// readConfig reads what the child is to do from the descriptor it was given.
func readConfig(fd uintptr) (*shimConfig, error) {
	file := os.NewFile(fd, "configuration")
	if file == nil {
		return nil, errors.New("no configuration was passed")
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	config := new(shimConfig)
	if err := json.Unmarshal(data, config); err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return config, nil
}

// dieWith has the kernel end this process with its owner. The launcher does the
// same for itself once it runs; until then it would wait for its orders for
// ever. It comes after the last change of user, which would undo it.
func dieWith(owner int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("tie the launcher to its owner: %w", err)
	}
	if os.Getppid() != owner {
		return errors.New("the owner is gone")
	}
	return nil
}

// closeInherited keeps what this process inherited from what it will start. An
// error does no harm: what slips by is found before a program starts.
func closeInherited() { _ = closeAllOnExec() }

func closeAllOnExec() error {
	err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err != nil { // before Linux 5.11
		err = closeOnExecOneByOne()
	}
	return err
}

// keepDescriptors closes on exec every descriptor above 2 but first to last.
// Descriptors that this process inherited itself would reach the program.
func keepDescriptors(first, last int) error {
	if err := closeAllOnExec(); err != nil {
		return fmt.Errorf("close inherited descriptors: %w", err)
	}
	for fd := first; fd <= last; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
			return fmt.Errorf("pass descriptor %d on: %w", fd, err)
		}
	}
	return nil
}

func closeOnExecOneByOne() error {
	names, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("/proc/self/fd is empty")
	}
	for _, name := range names {
		if fd, err := strconv.Atoi(filepath.Base(name)); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// dropTo gives up root for good. The launcher must never run as root: its
// /proc/sys would be writable, and a process limit does not bind root.
func dropTo(uid, gid int) error {
	if uid != 0 {
		if err := syscall.Setgroups([]int{}); err != nil {
			return fmt.Errorf("give up the groups of root: %w", err)
		}
		if err := syscall.Setresgid(gid, gid, gid); err != nil {
			return fmt.Errorf("become group %d: %w", gid, err)
		}
		if err := syscall.Setresuid(uid, uid, uid); err != nil {
			return fmt.Errorf("become user %d: %w", uid, err)
		}
	}
	if os.Getuid() == 0 || os.Geteuid() == 0 || os.Getegid() == 0 && uid != 0 {
		return errors.New("the launcher would run as root")
	}
	return nil
}
