package sandbox

// The matrix is what every way out of escapes.py and of the worker that tries
// the same comes to, in every layer. docs/security.md shows it as tables, which
// TestSecurityPageHasTheTables compares, and TestMatrix tries it all.

// The columns of the matrix: what runs, and the layer that it runs in.
const (
	inBubblewrap = iota
	inNamespaces
	inLandlock
	workerInNamespaces
	workerInLandlock
	columns
)

var columnNames = [columns]string{"bubblewrap", "namespaces", "landlock", "worker in namespaces", "worker in landlock"}

// A cell is what an attempt comes to in a column: the zero value is denied.
type cell struct {
	open string // it succeeds: why that is so, and why it is bearable
	none string // it cannot be tried: why
}

// matrixGroups are the attempts in the order in which they are shown.
var matrixGroups = []struct {
	title    string
	attempts []string
}{
	{"Files of the host", []string{
		"read_private_file", "read_shared_file", "read_shadow", "read_passwd", "read_by_root_of_process_1",
		"read_by_cwd_of_process_1", "read_by_dots", "read_by_symlink", "read_by_symlink_to_folder",
		"read_by_symlink_to_root", "write_by_symlink", "hard_link_out_of_usr", "open_by_handle", "list_root_home",
		"list_home", "list_sys", "list_run", "list_var", "list_host_folder", "list_root_folder",
		"write_in_host_folder", "find_host_file", "change_mode_of_host_file", "change_times_of_host_file",
		"change_attributes_of_host_file", "truncate_host_file", "remove_host_file",
	}},
	{"Running programs", []string{
		"run_a_shell", "run_program_of_host", "run_file_of_workspace", "run_temporary_file",
		"run_file_of_workspace_by_loader", "run_file_in_memory", "start_a_process",
	}},
	{"Other processes and their secrets", []string{
		"inherited_descriptor", "secret_in_any_environment", "secret_in_any_command_line",
		"environment_of_host_process", "kill_host_process", "see_host_processes", "memory_of_process_1",
		"find_host_process", "signal_thread_of_host_process", "queue_signal_to_host_process", "hold_host_process",
		"read_limit_of_host_process", "move_host_process_to_another_core", "change_priority_of_host_process",
		"change_priority_of_user", "signal_own_supervisor",
	}},
	{"Network and sockets", []string{
		"connect_to_loopback", "send_datagram", "connect_to_abstract_socket", "connect_to_socket_file",
		"connect_to_socket_file_in_workspace", "send_by_pair_to_abstract_socket", "send_by_pair_to_socket_file",
		"listen_for_connections", "multipath_socket", "socket_with_high_bits", "socket_pair_of_internet",
		"netlink_socket", "packet_socket", "vsock_socket", "io_uring", "see_host_interfaces",
	}},
	{"The kernel", []string{
		"write_core_pattern", "write_core_pattern_over_mount", "read_kernel_command_line", "read_memory_of_machine",
		"read_kernel_symbols", "read_kernel_log", "read_mounts", "see_host_name", "call_of_another_architecture",
		"write_sysrq", "write_user_namespaces", "unshare_user", "unshare_mounts", "clone_user", "clone3_user",
		"enter_namespace", "mount_tmpfs", "remount_root_writable", "new_mount_interface", "change_root", "pivot_root",
		"trace_process_1", "be_traced", "read_memory_of_process_1", "load_bpf", "user_fault", "perf_event", "key_ring",
		"become_root", "change_host_name", "type_into_terminal", "type_into_terminal_with_high_bits",
		"other_personality", "file_in_memory", "shared_memory_of_system_v", "raise_a_limit",
	}},
	{"Writing where nothing may be written", []string{
		"write_in_root", "write_in_usr", "write_in_etc", "write_in_job", "change_own_program",
		"write_in_shared_memory", "write_in_tmp", "write_in_dev", "write_in_proc", "write_own_file_in_proc",
		"write_read_only_file", "add_to_read_only_folder", "remove_read_only_file", "move_read_only_folder",
		"replace_read_only_file", "change_mode_of_read_only_file",
	}},
	{"Files that harm others later", []string{
		"setuid_by_chmod", "setgid_by_chmod", "setuid_by_fchmod", "setuid_by_fchmodat", "setuid_by_fchmodat2",
		"setuid_by_chmod_with_high_bits", "setuid_by_open", "setuid_by_creat", "setuid_by_openat2", "setuid_by_mknod",
		"setuid_by_unnamed_file", "file_capability", "make_device", "make_block_device", "make_fifo",
	}},
	{"Using up the host", []string{
		"fill_temporary_folder", "fill_shared_memory", "large_file", "fork_without_end", "memory_by_many_processes",
		"leave_a_process",
	}},
}

// Reasons that several cells have.
const (
	ownFirst      = "Process 1 of its namespace is its own, and dies with it. Ending it ends the run."
	stageShows    = "It shows the name of the staging folder on the host."
	ownProcesses  = "It reaches only the processes of its own run."
	ownTemporary  = "The folder is its own, in memory, of limited size, and gone at the end."
	runsAsItself  = "It runs with the rights that the program has, which can compute anything itself. No other program and no network are in reach."
	wholeProc     = "/proc is the kernel's, read-only; what it says of the machine is no secret of a user."
	namesAreKnown = "Landlock hides what is in a file, not that it is there: who knows a name can ask for its size, times and owner."
	numbersKnown  = "Without a process namespace a number can be asked for. It tells that the process is there, and its group."
	linkOnly      = "What moves is a link in the program's own copy. The file stays as it is, and nothing is brought back under its name."
)

// exceptions are the cells that are not simply denied.
var exceptions = map[string]map[int]cell{
	"run_file_of_workspace": {inBubblewrap: {open: runsAsItself}},
	"run_temporary_file":    {inBubblewrap: {open: runsAsItself}},
	"run_file_of_workspace_by_loader": {
		inBubblewrap: {open: runsAsItself},
		inLandlock:   {open: "Landlock forbids to execute the file, not to have the loader, which Python needs, read it as a program. " + runsAsItself},
	},
	"signal_own_supervisor":    {inBubblewrap: {open: ownFirst}, inNamespaces: {open: ownFirst}, workerInNamespaces: {open: ownFirst}},
	"change_priority_of_user":  {inBubblewrap: {open: ownProcesses}, inNamespaces: {open: ownProcesses}},
	"write_in_shared_memory":   {inBubblewrap: {open: ownTemporary}, inNamespaces: {open: ownTemporary}},
	"write_in_tmp":             {inBubblewrap: {open: ownTemporary}, inNamespaces: {open: ownTemporary}},
	"read_kernel_command_line": {inBubblewrap: {open: wholeProc}},
	"read_memory_of_machine":   {inBubblewrap: {open: wholeProc}},
	"read_kernel_symbols":      {inBubblewrap: {open: "Names without addresses, as for any user where kernel.kptr_restrict or the lack of privileges hides them."}},
	"read_mounts":              {inBubblewrap: {open: stageShows}, inNamespaces: {open: stageShows}},
	"find_host_file": {
		inLandlock: {open: namesAreKnown}, workerInLandlock: {open: namesAreKnown},
	},
	"find_host_process": {
		inLandlock: {open: numbersKnown}, workerInLandlock: {open: numbersKnown},
	},
	"see_host_name": {
		inLandlock:       {open: "There is no namespace of host names."},
		workerInLandlock: {open: "There is no namespace of host names."},
	},
	"move_read_only_folder":  {inLandlock: {open: linkOnly}},
	"replace_read_only_file": {inLandlock: {open: linkOnly}},
	"start_a_process": {
		inBubblewrap: {none: "a program may start processes, up to its limit"},
		inNamespaces: {none: "a program may start processes, up to its limit"},
		inLandlock:   {none: "a program may start processes, up to its limit"},
	},
}

// noWorkspace is why a worker cannot try an attempt.
const noWorkspace = "a worker has no workspace, no temporary folder and no other program"

// expected is the cell of an attempt in a column.
func expected(attempt string, column int) cell {
	if c, ok := exceptions[attempt][column]; ok {
		return c
	}
	if column >= workerInNamespaces && workerAttempts[attempt] == nil {
		return cell{none: noWorkspace}
	}
	return cell{}
}
