// Package sandbox runs a Python program that nobody has read, such as one that
// a model has just written, so that it can compute and do nothing else: no
// network, no file of the host, no process that outlives the run, no more
// memory, time and disk than it was given.
//
//	func main() {
//		sandbox.Init() // first: the program re-executes itself as the launcher
//		box, err := sandbox.Open(ctx, nil)
//		if err != nil {
//			fmt.Println(err) // why nothing can be run here, and the line that would allow it
//			return
//		}
//		res, err := box.Run(ctx, &sandbox.Job{
//			Files: map[string][]byte{"main.py": code},
//			Main:  "main.py",
//			Dir:   "session/42", // seen as /ws; files come back from there
//		})
//		...
//	}
//
// # Results
//
// A program answers by frames: JSON values on a descriptor of their own, whose
// number is in HELIOS_RESULT_FD. In Python:
//
//	def send(value):
//	    data = json.dumps(value).encode()
//	    os.write(int(os.environ["HELIOS_RESULT_FD"]), len(data).to_bytes(4, "big") + data)
//
// (os.write may write less than all of a large frame; wrap the descriptor with
// open(fd, "wb") to have that seen to.) Standard output and standard error are
// kept too, up to a limit, and are never read for a result. Whatever a program
// writes, frames included, is input from a stranger.
//
// # What holds a program
//
// On Linux, one of several layers: bubblewrap, namespaces that this program makes
// itself, and Landlock with a filter of system calls where a host allows no
// namespaces. [Open] takes the strongest that holds. It proves it first: it runs
// the real layer with a program that tries to get out. Where none holds, it
// returns an [*Unavailable] with the reason and the remedy. A program is never
// run unconfined instead. [Sandbox.Describe] says what is in force, and
// docs/security.md what each layer comes to, attempt by attempt.
//
// In a namespace a program sees an empty root with Python, its libraries, fonts
// and time zones in it, read-only; its own files at /job; /tmp and /dev/shm, of
// limited size; and at /ws a copy of [Job.Dir]. Under Landlock alone it sees the
// names of the host and may read and write the same things, but /job, /ws and
// /tmp are elsewhere: in the folder of __file__, in the working folder, and in
// TMPDIR, which are right in every layer.
//
// When it ends, regular files that it made or wrote are copied back, each put in
// place whole or not at all. A symbolic link, a file with a second name, a FIFO,
// a device or a setuid file is never followed, copied or kept, on the way in or
// out; [Result.Refused] names them. This holds for every caller. When the caller
// is root, the program also runs under an unprivileged uid.
//
// # What does not
//
// A program can use its processor time to the full, and in bubblewrap execute
// files that it wrote (with no more rights than it has) and learn what any
// process learns of its machine from /proc: processor, kernel, uptime. The name
// of the staging folder shows in /proc/self/mountinfo. Under Landlock alone it
// can learn that a file or a process is there whose name or number it knows.
package sandbox
