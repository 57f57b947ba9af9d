package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/helios-go/helios/agent"
)

// pageSize is how many events are read at a time: the consumer of an iterator
// must not hold up the file's readers.
const pageSize = 256

// Append implements [agent.Store].
func (s *Store) Append(ctx context.Context, l agent.Lease, events []agent.Event) (agent.Seq, error) {
	seq, err := s.add(ctx, l.Session, events, func(i *agent.SessionInfo) error {
		if i.Epoch != l.Epoch || i.Owner != l.Owner {
			return agent.ErrFenced
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("append to session %s: %w", l.Session, err)
	}
	return seq, nil
}

// Post implements [agent.Store].
func (s *Store) Post(ctx context.Context, session string, events []agent.Event) (agent.Seq, error) {
	seq, err := s.add(ctx, session, events, nil)
	if err != nil {
		return 0, fmt.Errorf("post to session %s: %w", session, err)
	}
	return seq, nil
}

// add writes events in one transaction, if check lets them.
func (s *Store) add(ctx context.Context, session string, events []agent.Event, check func(*agent.SessionInfo) error) (seq agent.Seq, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		num, info, err := load(tx, session)
		switch {
		case errors.Is(err, sql.ErrNoRows) && check != nil:
			return agent.ErrFenced
		case errors.Is(err, sql.ErrNoRows):
			if num, err = insert(tx, session); err != nil {
				return err
			}
			info = agent.SessionInfo{ID: session, State: agent.StateIdle}
		case err != nil:
			return err
		}
		if check != nil {
			if err := check(&info); err != nil {
				return err
			}
		}
		for _, e := range events {
			e.Seq = info.Seq + 1
			data, err := json.Marshal(e)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO events VALUES (?, ?, ?)`, num, int64(e.Seq), string(data)); err != nil {
				return err
			}
			info.Apply(e)
		}
		seq = info.Seq
		_, err = tx.Exec(`UPDATE sessions SET agent = ?, user = ?, parent = ?, state = ?, pending = ?, seq = ?, created = ?, active = ? WHERE num = ?`,
			info.Agent, info.User, info.Parent, string(info.State), info.Pending, int64(info.Seq), nanos(info.Created), nanos(info.Active), num)
		return err
	})
	return seq, err
}

// Read implements [agent.Store].
func (s *Store) Read(ctx context.Context, session string, from agent.Seq) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for next := from; ; {
			page, err := s.page(ctx, session, next)
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
				next = e.Seq + 1
			}
			if err != nil {
				yield(agent.Event{}, fmt.Errorf("read session %s: %w", session, err))
				return
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}

func (s *Store) page(ctx context.Context, session string, from agent.Seq) ([]agent.Event, error) {
	const query = `SELECT seq, event FROM events WHERE session = (SELECT num FROM sessions WHERE id = ?) AND seq >= ? ORDER BY seq LIMIT ?`
	rows, err := s.read.QueryContext(ctx, query, session, int64(from), pageSize)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var page []agent.Event
	for rows.Next() {
		var seq int64
		var data sql.RawBytes
		if err := rows.Scan(&seq, &data); err != nil {
			return page, err
		}
		var e agent.Event
		if err := json.Unmarshal(data, &e); err != nil {
			return page, fmt.Errorf("event %d: %w", seq, err)
		}
		e.Seq = agent.Seq(seq)
		page = append(page, e)
	}
	return page, rows.Err()
}
