// Package workspace is a directory tree that nothing can leave.
//
//	ws, err := workspace.Open("/srv/projects/ada", nil)
//	if err != nil {
//		return err
//	}
//	defer ws.Close()
//	text, info, err := ws.ReadFile("src/main.go", 1<<20)
//	...
//	err = ws.Replace("src/main.go", edited, info) // ErrChanged if somebody was faster
//
// Names are those that a model writes: relative to the root, with slashes. What
// they lead to is decided by the kernel while it walks them, not by a look at
// the spelling before, so that a program that swaps folders for links at the
// same time cannot steer a read or a write out of the tree.
//
// The zero [Mode], [Strict], needs Linux 5.6. There no link is followed, no
// mount is crossed, and only regular files with one name are opened; a FIFO or a
// device in the tree is never opened at all. [Portable] works everywhere and
// stops less; nobody gets it without asking. [Root.Describe] says in words what
// holds, for those who have to decide whether it is enough.
//
// What no mode stops: somebody who may write outside of the tree as well and
// moves a folder out of it while it is in use, and a file system that lies.
//
// An error is one sentence with the name as it was given, fit for a model; the
// place of the tree on this machine is in none of them. Sentinels say which kind
// it is: [ErrEscape], [ErrLink], [fs.ErrNotExist] and so on.
package workspace
