package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/helios-go/helios/tool"
)

// A Scope tells whose notes a call is about. Two that differ in one byte are two
// owners. An error, or no name, refuses the call.
type Scope func(ctx context.Context) (string, error)

// PerUser is a [Scope]: each user has notes of their own, in all sessions. A call
// that belongs to no user is refused.
func PerUser(ctx context.Context) (string, error) {
	user := tool.CallFrom(ctx).User
	if user == "" {
		return "", errors.New("the session has no user")
	}
	return user, nil
}

// PerAgent returns a [Scope] for the notes of one agent, whoever uses it.
func PerAgent(name string) Scope {
	return func(context.Context) (string, error) { return name, nil }
}

// scopeMark begins the names of the folders of scopes, and of no note.
const scopeMark = "="

// maxElement is a name that every file system takes.
const maxElement = 200

// element returns a name for a folder: the same for the same scope only, on file
// systems that do not mind upper and lower case too, and harmless whatever the
// scope holds.
func element(scope string) string {
	var b strings.Builder
	for i := range len(scope) {
		c := scope[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '@' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	if b.Len() > maxElement {
		return fmt.Sprintf(scopeMark+scopeMark+"%x", sha256.Sum256([]byte(scope)))
	}
	return scopeMark + b.String()
}
