package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/internal/testdata"
)

// denials are what an attempt may be refused with. KILLED is for those that take
// the whole program with them.
var denials = []string{
	"EPERM", "EACCES", "ENOENT", "EROFS", "ENOSYS", "EXDEV", "ENOTTY", "ESRCH", "ENOSPC", "EFBIG", "EBUSY", "EAGAIN", "ENOMEM",
	"ENOTDIR", "KILLED",
}

// TestMatrix makes every attempt in every layer that this host has, and compares
// what came of it with the matrix.
func TestMatrix(t *testing.T) { //nolint:paralleltest // it counts and signals processes of the whole host
	h := newHost(t, word(t))
	t.Logf("programs run as uid %d, the caller is uid %d, Landlock has version %d", h.uid, os.Getuid(), landlockVersion())
	t.Run("controls", func(t *testing.T) {
		found := h.controls(t)
		if len(found) < 35 {
			t.Errorf("only %d controls ran", len(found))
		}
		for name, outcome := range found {
			if !strings.HasPrefix(outcome, "OPEN") {
				t.Errorf("%s unconfined: got %s, want it to succeed, or being denied proves nothing", name, outcome)
			}
		}
	})
	worker := Worker{Name: "escapes", Main: escapeWorker}
	for column, name := range columnNames {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			h.Mark = word(t)
			layer := strings.TrimPrefix(name, "worker in ")
			open := func() (*Sandbox, error) { return Open(t.Context(), &Options{Layers: []string{layer}}) }
			try := h.attempts
			if column >= workerInNamespaces {
				open = func() (*Sandbox, error) { return OpenWorker(t.Context(), worker, &Options{Layers: []string{layer}}) }
				try = h.workerOutcomes
			}
			s, err := open()
			if err != nil {
				t.Logf("not live here: %s: %v", name, err)
			}
			testdata.Need(t, "the layer "+name, err)
			t.Logf("live: %s\n%s", name, s.Describe())
			compare(t, column, try(t, s))
		})
	}
}

// compare fails on every cell that is not as the matrix has it.
func compare(t *testing.T, column int, found map[string]string) {
	t.Helper()
	var denied, open, none int
	for _, group := range matrixGroups {
		for _, name := range group.attempts {
			want, got := expected(name, column), found[name]
			switch {
			case want.none != "":
				none++
				if got != "" {
					t.Errorf("%s: got %s, want it not tried", name, got)
				}
			case got == "":
				t.Errorf("%s was not tried", name)
			case want.open != "":
				open++
				if !strings.HasPrefix(got, "OPEN") {
					t.Errorf("%s: got %s, want it open, as the matrix says", name, got)
				}
			default:
				denied++
				if !slices.Contains(denials, got) {
					t.Errorf("%s: got %s, want it denied", name, got)
				}
			}
		}
	}
	known := 0
	for _, group := range matrixGroups {
		for _, name := range group.attempts {
			if found[name] != "" {
				known++
			}
		}
	}
	if known != len(found) {
		t.Errorf("%d attempts are not in the matrix", len(found)-known)
	}
	t.Logf("%s: %d denied, %d open, %d not applicable", columnNames[column], denied, open, none)
}

// What denies an attempt should be what is meant to: another reason would go
// unnoticed when it goes away.
func TestAttemptsAreDeniedByTheRightThing(t *testing.T) { //nolint:paralleltest // as TestMatrix
	h := newHost(t, word(t))
	for layer, want := range map[string]map[string]string{
		"bubblewrap": {
			"write_core_pattern": "EACCES", "write_own_file_in_proc": "EROFS",
			"write_in_dev": "EROFS", "write_in_root": "EROFS", "write_in_job": "EROFS",
			"setuid_by_fchmodat2": "EPERM", "setuid_by_open": "EPERM", "setuid_by_openat2": "ENOSYS", "clone3_user": "ENOSYS",
			"unshare_user": "EPERM", "connect_to_loopback": "EPERM", "kill_host_process": "ESRCH",
			"fill_temporary_folder": "ENOSPC", "fill_shared_memory": "ENOSPC", "large_file": "EFBIG",
			"type_into_terminal_with_high_bits": "ENOTTY", "hard_link_out_of_usr": "EXDEV", "find_host_file": "ENOENT",
			"send_by_pair_to_socket_file": "EPERM",
		},
		"namespaces": {
			"write_core_pattern": "ENOENT", "read_kernel_command_line": "ENOENT", "find_host_file": "ENOENT", "list_sys": "ENOENT",
			"write_in_dev": "EROFS", "write_in_root": "EROFS", "write_in_job": "EROFS", "write_own_file_in_proc": "EROFS",
			"write_read_only_file": "EROFS", "move_read_only_folder": "EBUSY", "hard_link_out_of_usr": "EXDEV",
			"run_file_of_workspace": "EACCES", "run_file_of_workspace_by_loader": "EACCES", "run_temporary_file": "EACCES",
			"kill_host_process": "ESRCH", "see_host_name": "ENOENT", "connect_to_loopback": "EPERM", "unshare_user": "EPERM",
			"fill_temporary_folder": "ENOSPC", "fill_shared_memory": "ENOSPC", "large_file": "EFBIG", "fork_without_end": "EAGAIN",
			"clone3_user": "ENOSYS", "setuid_by_open": "EPERM", "type_into_terminal_with_high_bits": "ENOTTY",
		},
		"landlock": {
			"read_shared_file": "EACCES", "read_by_symlink": "EACCES", "list_host_folder": "EACCES", "write_in_host_folder": "EACCES",
			"truncate_host_file": "EACCES", "remove_host_file": "EACCES", "run_program_of_host": "EACCES", "run_file_of_workspace": "EACCES",
			"kill_host_process": "EPERM", "signal_thread_of_host_process": "EPERM", "signal_own_supervisor": "EPERM",
			"read_limit_of_host_process": "EPERM", "change_mode_of_host_file": "EPERM", "change_times_of_host_file": "EPERM",
			"environment_of_host_process": "EACCES", "connect_to_loopback": "EPERM", "send_by_pair_to_socket_file": "EPERM",
			"write_in_job": "EACCES", "write_read_only_file": "EACCES", "add_to_read_only_folder": "EACCES", "large_file": "EFBIG",
			"fill_temporary_folder": "KILLED", "fork_without_end": "EAGAIN",
		},
	} {
		t.Run(layer, func(t *testing.T) {
			s, err := Open(t.Context(), &Options{Layers: []string{layer}})
			testdata.Need(t, "the layer "+layer, err)
			found := h.attempts(t, s)
			for name, errno := range want {
				if found[name] != errno {
					t.Errorf("%s: got %s, want %s", name, found[name], errno)
				}
			}
		})
	}
}

// As root programs run as nobody. Nobody as the caller gets other caps, another
// supervisor and another owner of the files, so the matrix is tried again.
func TestMatrixAgainAsNobody(t *testing.T) { //nolint:paralleltest // as TestMatrix
	if os.Getuid() != 0 {
		t.Skip("this is a user who is not root: what it would try is what TestMatrix tries")
	}
	if testing.Short() {
		t.Skip("it takes as long as TestMatrix")
	}
	temp := stageBase(t)
	if err := os.Chown(temp, innerID, innerID); err != nil {
		t.Fatal(err)
	}
	cmd := asProgram(exec.CommandContext(t.Context(), "/proc/self/exe", "-test.v", "-test.run=^TestMatrix$|^TestAttempts"), innerID)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "HOME="+temp)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestMatrix") {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, " denied, ") || strings.Contains(line, "not live") || strings.Contains(line, "--- SKIP") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// securityPage is the page that shows the matrix.
func securityPage() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(filepath.Dir(here)), "docs", "security.md")
}

const (
	matrixBegins = "<!-- the matrix: written by HELIOS_UPDATE_DOCS=1 go test ./sandbox -run TestSecurityPage -->\n"
	matrixEnds   = "<!-- end of the matrix -->\n"
	casesBegin   = "<!-- the cases of the workspace: a copy of workspace/testdata/cases.md, which the tests of sandbox compare -->\n"
	casesEnd     = "<!-- end of the cases -->\n"
)

// matrixText is the matrix in Markdown. Reasons are numbered notes.
func matrixText() string {
	var b strings.Builder
	var notes []string
	note := func(reason string) string {
		i := slices.Index(notes, reason)
		if i < 0 {
			i = len(notes)
			notes = append(notes, reason)
		}
		return fmt.Sprintf("(%d)", i+1)
	}
	for _, group := range matrixGroups {
		fmt.Fprintf(&b, "\n#### %s\n\n| attempt | %s |\n|---|%s\n", group.title, strings.Join(columnNames[:], " | "), strings.Repeat("---|", columns))
		for _, name := range group.attempts {
			fmt.Fprintf(&b, "| %s |", strings.ReplaceAll(name, "_", " "))
			for column := range columns {
				switch c := expected(name, column); {
				case c.open != "":
					fmt.Fprintf(&b, " **open** %s |", note(c.open))
				case c.none == noWorkspace:
					b.WriteString(" - |")
				case c.none != "":
					fmt.Fprintf(&b, " - %s |", note(strings.ToUpper(c.none[:1])+c.none[1:]+"."))
				default:
					b.WriteString(" denied |")
				}
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n\"-\" means not applicable; where no note says otherwise, " + noWorkspace + ".\n\n")
	for i, n := range notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, n)
	}
	return b.String() + "\n"
}

// The page shows tables that tests prove. It is compared with them here, and
// with HELIOS_UPDATE_DOCS=1 written anew.
func TestSecurityPageHasTheTables(t *testing.T) {
	t.Parallel()
	page := readFile(t, securityPage())
	cases := filepath.Join(filepath.Dir(filepath.Dir(securityPage())), "workspace", "testdata", "cases.md")
	want := showTable(t, page, matrixBegins, matrixEnds, matrixText())
	want = showTable(t, want, casesBegin, casesEnd, "\n"+readFile(t, cases)+"\n")
	if want == page {
		return
	}
	if os.Getenv("HELIOS_UPDATE_DOCS") != "1" {
		t.Fatal("docs/security.md shows another table than the one that is proved; write it anew with HELIOS_UPDATE_DOCS=1 go test ./sandbox -run TestSecurityPage")
	}
	if err := os.WriteFile(securityPage(), []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// showTable puts a table where its place in the page is.
func showTable(t *testing.T, page, begin, end, table string) string {
	t.Helper()
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("docs/security.md has no place %q", begin)
	}
	return before + begin + table + end + after
}
