package helioai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai/places"
)

// sessionNote names the custom event that says where a session works. It is
// the first event after the session was opened; another one follows where a
// later question brings other data, and the last one holds.
const sessionNote = "helioai.session"

type note struct {
	Label string   `json:"label"`
	Data  []string `json:"data,omitempty"`
}

// A place is where one session works.
type place struct {
	id, label, dir string
	data           []string // that the session remembers
	fresh          bool     // the session does not exist yet
}

// resolve finds the session that the question belongs to, or names a new one.
func (a *Assistant) resolve(ctx context.Context, q *Question) (*place, error) {
	if q.Session == "" {
		id, err := places.NewID()
		if err != nil {
			return nil, err
		}
		return a.newPlace(q.Text, id)
	}
	id, n, err := findSession(ctx, a.Store, a.User, q.Session)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return a.newPlace(q.Text, q.Session)
	}
	return &place{id: id, label: n.Label, data: n.Data, dir: a.Home.Workspace(a.User, n.Label)}, nil
}

func (a *Assistant) newPlace(question, id string) (*place, error) {
	label := places.Label(question, id)
	for n := 2; ; n++ {
		dir := a.Home.Workspace(a.User, label)
		_, err := os.Lstat(dir)
		if errors.Is(err, os.ErrNotExist) {
			return &place{id: id, label: label, dir: dir, fresh: true}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("look for the session's folder: %w", err)
		}
		label = fmt.Sprintf("%s-%d", places.Label(question, id), n)
	}
}

// findSession finds the user's session by its id or a unique prefix of it. The
// note is nil when there is none of that name, and the id is then free.
func findSession(ctx context.Context, store agent.Store, user, id string) (string, *note, error) {
	if err := places.CheckID(id); err != nil {
		return "", nil, err
	}
	var found []string
	for info, err := range store.List(ctx, agent.Filter{User: user, Prefix: id, Top: true}) {
		if err != nil {
			return "", nil, fmt.Errorf("list sessions: %w", err)
		}
		if info.ID == id {
			found = []string{id}
			break
		}
		found = append(found, info.ID)
	}
	switch len(found) {
	case 0:
		return id, nil, nil
	case 1:
		n, err := readNote(ctx, store, found[0])
		return found[0], n, err
	}
	return "", nil, fmt.Errorf("%q stands for %d sessions (%s); give more of the id", id, len(found), strings.Join(found, ", "))
}

func readNote(ctx context.Context, store agent.Store, id string) (*note, error) {
	var last *note
	for event, err := range store.Read(ctx, id, 1) {
		if err != nil {
			return nil, fmt.Errorf("read session %s: %w", id, err)
		}
		custom, ok := event.Data.(*agent.Custom)
		if !ok || custom.Name != sessionNote {
			continue
		}
		n := new(note)
		if err := json.Unmarshal(custom.Data, n); err != nil {
			return nil, fmt.Errorf("read session %s: its note is damaged: %w", id, err)
		}
		last = n
	}
	if last == nil {
		return nil, fmt.Errorf("read session %s: it was not started by helioai; use another name", id)
	}
	return last, nil
}

// SessionData is where the data of a user's session come from, as the last
// question that named any had them; nil for the demo
// data and for a session that does not exist yet.
func SessionData(ctx context.Context, store agent.Store, user, id string) ([]string, error) {
	_, n, err := findSession(ctx, store, user, id)
	if err != nil || n == nil {
		return nil, err
	}
	return n.Data, nil
}
