package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func init() {
	// Says for each layer whether it is live here, and why it is not.
	helpers["layers"] = func() int {
		for _, c := range candidates(nil) {
			_, err := Open(context.Background(), &Options{Layers: []string{c.name}})
			fmt.Printf("%s: %v\n", c.name, err)
		}
		for _, c := range candidates(&testWorkers[1]) {
			_, err := OpenWorker(context.Background(), testWorkers[1], &Options{Layers: []string{c.name}})
			fmt.Printf("worker in %s: %v\n", c.name, err)
		}
		s, err := Open(context.Background(), nil)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(s.Describe())
		return 0
	}
	// Is root of a user namespace, forbids others below it, and goes on as nobody.
	helpers["forbid"] = func() int {
		err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
		if err == nil {
			err = dropTo(innerID, innerID)
		}
		if err == nil {
			err = os.Setenv("HELIOS_SANDBOX_HELPER", "layers")
		}
		if err == nil {
			err = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
		}
		fmt.Println(err)
		return 1
	}
}

// As in a container: no user namespaces may be made.
func TestWithoutUserNamespacesLandlockHolds(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	if os.Getuid() != 0 {
		t.Skip("only root can map the users that this needs")
	}
	ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: innerID + 1}}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=forbid")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"bubblewrap: open the sandbox: this host allows no user namespaces", "\nlandlock: <nil>\n", "\nworker in landlock: <nil>\n",
		"\nLayer: landlock",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	t.Log(string(out))
}
