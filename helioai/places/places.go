// Package places says where HelioAI keeps things and what they are called.
//
//	home, err := places.Open("")              // $HELIOAI_DATA_DIR or the XDG default
//	label := places.Label("Mean |B| at ACE", id) // "mean-b-at-ace_1f0c2a"
//	dir := home.Workspace("cli", label)
//
// The layout below the data directory:
//
//	sessions.db                        the log of every session
//	cache/                             what every session can use again
//	users/<user>/workspace/<label>/    code_N.py, fig_N_M.png and .pdf
//	users/<user>/workspace/<label>/data/   <name>.npz, manifest.json, provenance.json
//	users/<user>/notebooks/<label>/    the exported notebook and its data
//	users/<user>/locks/<session>       while the session is asked
//
// Everything is made for its owner only (0700). All functions are safe for
// concurrent use.
package places

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/helios-go/helios/helioai/wording"
)

// A Home is HelioAI's data directory. The zero value is not usable: see [Open].
type Home struct{ root string }

// Open returns the data directory dir, or the default when dir is empty:
// $HELIOAI_DATA_DIR, else $XDG_DATA_HOME/helioai, else ~/.local/share/helioai.
// It creates the directory when there is none, and refuses one that cannot be
// written to.
func Open(dir string) (*Home, error) {
	if dir == "" {
		var err error
		if dir, err = defaultDir(); err != nil {
			return nil, err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the data directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the data directory %s: %w; set HELIOAI_DATA_DIR to a folder that you can write", dir, reason(err))
	}
	if err := writable(dir); err != nil {
		return nil, fmt.Errorf("write to the data directory %s: %w; set HELIOAI_DATA_DIR to a folder that you can write", dir, reason(err))
	}
	return &Home{root: dir}, nil
}

// writable tries it: permissions alone do not tell of a read-only disk.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func defaultDir() (string, error) {
	if dir := os.Getenv("HELIOAI_DATA_DIR"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "helioai"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("no home directory is known; set HELIOAI_DATA_DIR to a folder for sessions and figures")
	}
	return filepath.Join(home, ".local", "share", "helioai"), nil
}

// reason strips the path that a *PathError repeats.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// Root is the data directory itself.
func (h *Home) Root() string { return h.root }

// SessionsDB is the file that holds the log of every session.
func (h *Home) SessionsDB() string { return filepath.Join(h.root, "sessions.db") }

// Cache is the directory of what is the same for every session and can be made
// again.
func (h *Home) Cache() string { return filepath.Join(h.root, "cache") }

// User is the directory of one user. The name must be a valid id ([CheckID]).
func (h *Home) User(user string) string { return filepath.Join(h.root, "users", user) }

// Workspace is the directory in which one session works.
func (h *Home) Workspace(user, label string) string {
	return filepath.Join(h.User(user), "workspace", label)
}

// Notebook is the folder of a session's exported notebook. It lies outside the
// workspace, so that no sandboxed program can write to it.
func (h *Home) Notebook(user, label string) string {
	return filepath.Join(h.User(user), "notebooks", label)
}

// Lock is the file that is there while a session is asked something.
func (h *Home) Lock(user, session string) string {
	return filepath.Join(h.User(user), "locks", session)
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckID reports whether id can name a session or a user: 1 to 64 letters,
// digits, underscores and hyphens.
func CheckID(id string) error {
	if !idPattern.MatchString(id) {
		return fmt.Errorf("%q cannot be a session id; use 1 to 64 letters, digits, - and _", wording.Line(id, 80))
	}
	return nil
}

// NewID returns a fresh session id, a UUIDv7: ids sort by time of creation.
func NewID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make a session id: %w", err)
	}
	return id.String(), nil
}

const (
	labelWords = 4
	labelRunes = 25
	labelID    = 6
)

// Label names a session's workspace for people: the first four words of its
// first question and the end of its id, "mean-field-at-ace_9d41c0". The end is
// taken because UUIDv7 ids of the same hour begin alike.
func Label(question, id string) string {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) > labelWords {
		words = words[:labelWords]
	}
	head := strings.Join(words, "-")
	if len(head) > labelRunes {
		head = head[:labelRunes]
	}
	head = strings.Trim(head, "-")
	if head == "" {
		head = "session"
	}
	tail := strings.ReplaceAll(id, "-", "")
	if len(tail) > labelID {
		tail = tail[len(tail)-labelID:]
	}
	return head + "_" + tail
}
