package workspace

// Describe says in words what holds for the tree and what does not, for the one
// who has to decide whether that is enough.
func (r *Root) Describe() string {
	s := strictWords
	if r.mode == Portable {
		s = portableWords
	}
	if r.readOnly {
		return s + " Nothing can be changed through it."
	}
	return s
}

const strictWords = "Strict workspace: the kernel walks each name below the folder (openat2) and refuses " +
	"absolute names, .., links of every kind, also those that stay inside, and mounts. " +
	"Only regular files with one name are read or replaced: no FIFO, socket or device is opened, no file that has " +
	"another name (a hard link) perhaps outside. " +
	"It does not stop who may move folders out of the tree from outside while they are in use, " +
	"nor a file system that lies."

const portableWords = "Portable workspace (weaker than strict): Go's os.Root walks each name part by part and refuses " +
	"absolute names, .., and links that lead out, also absolute ones that lead back in. " +
	"Links that stay inside are followed. " +
	"What was opened is looked at before it is read: no FIFO, socket, device, other file system or hard link, but " +
	"a device that takes the place of a file at the right moment is opened, though not read, " +
	"and a mount of the same file system (a bind mount) is entered. " +
	"On Windows hard links and other file systems are not noticed."
