package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
)

const columns = `num, id, agent, user, parent, state, pending, seq, created, active, owner, until, epoch`

type scanner interface{ Scan(...any) error }

func scan(row scanner) (num int64, i agent.SessionInfo, err error) {
	var state string
	var seq, created, active, until int64
	err = row.Scan(&num, &i.ID, &i.Agent, &i.User, &i.Parent, &state, &i.Pending, &seq, &created, &active, &i.Owner, &until, &i.Epoch)
	i.State, i.Seq = agent.SessionState(state), agent.Seq(seq)
	i.Created, i.Active, i.Until = moment(created), moment(active), moment(until)
	return num, i, err
}

// nanos is a time as the tables hold it; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func moment(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func load(tx *sql.Tx, session string) (int64, agent.SessionInfo, error) {
	return scan(tx.QueryRow(`SELECT `+columns+` FROM sessions WHERE id = ?`, session))
}

func insert(tx *sql.Tx, session string) (int64, error) {
	res, err := tx.Exec(`INSERT INTO sessions (id) VALUES (?)`, session)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// Acquire implements [agent.Store].
func (s *Store) Acquire(ctx context.Context, session, owner string, ttl time.Duration) (agent.Lease, error) {
	l := agent.Lease{Session: session, Owner: owner, TTL: ttl}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		num, info, err := load(tx, session)
		if errors.Is(err, sql.ErrNoRows) {
			num, err = insert(tx, session)
		}
		if err != nil {
			return err
		}
		now := time.Now()
		if info.Leased(now) && info.Owner != owner {
			return &agent.LeasedError{Session: session, Until: info.Until}
		}
		l.Epoch = info.Epoch + 1
		_, err = tx.Exec(`UPDATE sessions SET owner = ?, until = ?, epoch = ? WHERE num = ?`, owner, nanos(now.Add(ttl)), l.Epoch, num)
		return err
	})
	if err != nil {
		return agent.Lease{}, fmt.Errorf("acquire session %s: %w", session, err)
	}
	return l, nil
}

// Renew implements [agent.Store].
func (s *Store) Renew(ctx context.Context, l agent.Lease) error {
	n, err := s.update(ctx, l, `UPDATE sessions SET until = ? WHERE id = ? AND owner = ? AND epoch = ?`, nanos(time.Now().Add(l.TTL)))
	if err == nil && n == 0 {
		err = agent.ErrFenced
	}
	if err != nil {
		return fmt.Errorf("renew the lease of session %s: %w", l.Session, err)
	}
	return nil
}

// Release implements [agent.Store].
func (s *Store) Release(ctx context.Context, l agent.Lease) error {
	if _, err := s.update(ctx, l, `UPDATE sessions SET owner = '', until = ? WHERE id = ? AND owner = ? AND epoch = ?`, 0); err != nil {
		return fmt.Errorf("release session %s: %w", l.Session, err)
	}
	return nil
}

func (s *Store) update(ctx context.Context, l agent.Lease, query string, until int64) (int64, error) {
	res, err := s.write.ExecContext(ctx, query, until, l.Session, l.Owner, l.Epoch)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// List implements [agent.Store].
func (s *Store) List(ctx context.Context, f agent.Filter) iter.Seq2[agent.SessionInfo, error] {
	return func(yield func(agent.SessionInfo, error) bool) {
		infos, err := s.list(ctx, f)
		for _, i := range infos {
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(agent.SessionInfo{}, fmt.Errorf("list sessions: %w", err))
		}
	}
}

func (s *Store) list(ctx context.Context, f agent.Filter) ([]agent.SessionInfo, error) {
	query := `SELECT ` + columns + ` FROM sessions WHERE seq > 0`
	var args []any
	where := func(cond string, values ...any) {
		query += ` AND ` + cond
		args = append(args, values...)
	}
	if n := len(f.States); n > 0 {
		states := make([]any, n)
		for i, state := range f.States {
			states[i] = string(state)
		}
		where(`state IN (?`+strings.Repeat(`, ?`, n-1)+`)`, states...)
	}
	if f.User != "" {
		where(`user = ?`, f.User)
	}
	if f.Agent != "" {
		where(`agent = ?`, f.Agent)
	}
	if f.Prefix != "" {
		where(`substr(id, 1, ?) = ?`, len(f.Prefix), f.Prefix)
	}
	if f.Top {
		where(`parent = ''`)
	}
	query += ` ORDER BY active DESC, id`
	if f.Limit > 0 {
		query += ` LIMIT ?`
		args = append(args, f.Limit)
	}
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var infos []agent.SessionInfo
	for rows.Next() {
		_, i, err := scan(rows)
		if err != nil {
			return infos, err
		}
		infos = append(infos, i)
	}
	return infos, rows.Err()
}

// Purge implements [agent.Store].
func (s *Store) Purge(ctx context.Context, olderThan time.Time) (int, error) {
	var n int64
	err := s.tx(ctx, func(tx *sql.Tx) error {
		const old = `FROM sessions WHERE state = 'idle' AND seq > 0 AND active < ?1 AND (owner = '' OR until <= ?2)`
		cutoff, now := nanos(olderThan), time.Now().UnixNano()
		if _, err := tx.Exec(`DELETE FROM events WHERE session IN (SELECT num `+old+`)`, cutoff, now); err != nil {
			return err
		}
		res, err := tx.Exec(`DELETE `+old, cutoff, now)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("purge sessions: %w", err)
	}
	return int(n), nil
}
