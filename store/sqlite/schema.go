package sqlite

import (
	"context"
	"fmt"
)

// The format of the file has a version for each component, so that packages may
// keep tables side by side. Each script leads from one version to the next, the
// first from none.
var components = []struct {
	name    string
	scripts []string
}{
	{"sessions", []string{
		`
CREATE TABLE sessions (
	num     INTEGER PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE,
	agent   TEXT NOT NULL DEFAULT '',
	user    TEXT NOT NULL DEFAULT '',
	parent  TEXT NOT NULL DEFAULT '',
	state   TEXT NOT NULL DEFAULT 'idle',
	pending INTEGER NOT NULL DEFAULT 0,
	seq     INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL DEFAULT 0, -- unix nanoseconds, as active and until
	active  INTEGER NOT NULL DEFAULT 0,
	owner   TEXT NOT NULL DEFAULT '',
	until   INTEGER NOT NULL DEFAULT 0,
	epoch   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_by_activity ON sessions (active);
CREATE TABLE events (
	session INTEGER NOT NULL,
	seq     INTEGER NOT NULL,
	event   TEXT NOT NULL,
	PRIMARY KEY (session, seq)
) STRICT;`,
		// An append writes one page of events and one of sessions: no index has
		// to follow. Events of a session stand together, in their order.
		`
DROP INDEX sessions_by_activity;
ALTER TABLE events RENAME TO events_1;
CREATE TABLE events (
	id      INTEGER PRIMARY KEY, -- session << 32 | seq
	event   TEXT NOT NULL,
	session INTEGER GENERATED ALWAYS AS (id >> 32) VIRTUAL,
	seq     INTEGER GENERATED ALWAYS AS (id & 0xffffffff) VIRTUAL
) STRICT;
INSERT INTO events (id, event) SELECT session << 32 | seq, event FROM events_1 ORDER BY session, seq;
DROP TABLE events_1;`,
	}},
	{"prompts", []string{`
CREATE TABLE prompts (
	name    TEXT NOT NULL,
	version INTEGER NOT NULL,
	content TEXT NOT NULL,
	active  INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL, -- unix milliseconds
	PRIMARY KEY (name, version)
) STRICT;
CREATE UNIQUE INDEX prompts_active ON prompts (name) WHERE active = 1;`,
	}},
}

// migrate brings the tables of the file to the versions above. A file that is
// there already is only read, so that it can be opened while others write.
func (w *writer) migrate() error {
	current := false
	err := patiently(context.Background(), w.busy, func() (err error) {
		current, err = w.current()
		return err
	})
	if current || err != nil {
		return err
	}
	return w.write(context.Background(), func(c *conn) error {
		const versions = `CREATE TABLE IF NOT EXISTS helios_versions (component TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT`
		if _, err := c.exec(context.Background(), versions); err != nil {
			return err
		}
		for _, component := range components {
			if err := c.upgrade(component.name, component.scripts); err != nil {
				return err
			}
		}
		return nil
	})
}

// current reports whether there is nothing to do, as in a file that has been
// opened before. An error says that the file is not for this program.
func (w *writer) current() (bool, error) {
	c := w.durable
	known := false
	err := c.first(`SELECT 1 FROM sqlite_schema WHERE name = 'helios_versions'`, func(values) { known = true })
	if err != nil || !known {
		return false, err
	}
	for _, component := range components {
		have, err := c.version(component.name)
		if err == nil {
			err = compatible(have, len(component.scripts))
		}
		if err != nil || have < len(component.scripts) {
			return false, err
		}
	}
	return true, nil
}

// version is that of a component's tables, 0 if there are none.
func (c *conn) version(component string) (int, error) {
	have := int64(0)
	err := c.first(`SELECT version FROM helios_versions WHERE component = ?`, func(v values) { have = v.number(0) }, component)
	return int(have), err
}

func (c *conn) upgrade(component string, scripts []string) error {
	have, err := c.version(component) // again: somebody else may have been faster
	if err == nil {
		err = compatible(have, len(scripts))
	}
	if err != nil {
		return err
	}
	for _, script := range scripts[have:] {
		if _, err := c.exec(context.Background(), script); err != nil {
			return err
		}
	}
	_, err = c.exec(context.Background(), `INSERT OR REPLACE INTO helios_versions VALUES (?, ?)`, component, int64(len(scripts)))
	return err
}

func compatible(have, known int) error {
	if have > known {
		return fmt.Errorf("it has format %d, and this program knows up to %d: use a newer one", have, known)
	}
	return nil
}
