package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
)

// A row is what the table of sessions says about one.
type row struct {
	num  int64
	info agent.SessionInfo
}

const columns = `num, id, agent, user, parent, state, pending, seq, created, active, owner, until, epoch`

func (r *row) scan(v values) {
	i := &r.info
	r.num, i.ID, i.Agent, i.User, i.Parent = v.number(0), v.text(1), v.text(2), v.text(3), v.text(4)
	i.State, i.Pending, i.Seq = agent.SessionState(v.text(5)), int(v.number(6)), agent.Seq(v.number(7))
	i.Created, i.Active = moment(v.number(8)), moment(v.number(9))
	i.Owner, i.Until, i.Epoch = v.text(10), moment(v.number(11)), v.number(12)
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

// load reads a session, nil if there is none.
func load(c *conn, session string) (r *row, err error) {
	err = c.first(`SELECT `+columns+` FROM sessions WHERE id = ?`, func(v values) {
		r = &row{}
		r.scan(v)
	}, session)
	return r, err
}

// find returns a session, nil if there is none. With a lease it is an error not
// to be its owner. What is known of a session that this process owns may be out
// of date, which save finds out.
func (w *writer) find(c *conn, session string, l *agent.Lease) (*row, error) {
	r := w.held[session]
	if r != nil && (l == nil || r.ownedBy(l)) {
		return r, nil
	}
	r, err := load(c, session)
	if err == nil && l != nil && (r == nil || !r.ownedBy(l)) {
		return nil, agent.ErrFenced
	}
	return r, err
}

func (r *row) ownedBy(l *agent.Lease) bool { return r.info.Epoch == l.Epoch && r.info.Owner == l.Owner }

func (w *writer) insert(c *conn, session string) (*row, error) {
	res, err := c.exec(context.Background(), `INSERT INTO sessions (id) VALUES (?)`, session)
	if err != nil {
		return nil, err
	}
	num, err := res.LastInsertId()
	return &row{num, agent.SessionInfo{ID: session, State: agent.StateIdle}}, err
}

// save writes what events have changed in a session, and reports whether it was
// as r says.
func (w *writer) save(c *conn, r *row, next *agent.SessionInfo) (bool, error) {
	now := &r.info
	state, pending, seq, active := string(next.State), int64(next.Pending), int64(next.Seq), nanos(next.Active)
	const where = ` WHERE num = ? AND seq = ? AND epoch = ? AND owner = ?`
	var n int64
	var err error
	if next.Agent == now.Agent && next.User == now.User && next.Parent == now.Parent && next.Created.Equal(now.Created) {
		n, err = c.change(`UPDATE sessions SET state = ?, pending = ?, seq = ?, active = ?`+where,
			state, pending, seq, active, r.num, int64(now.Seq), now.Epoch, now.Owner)
	} else {
		n, err = c.change(`UPDATE sessions SET state = ?, pending = ?, seq = ?, active = ?, agent = ?, user = ?, parent = ?, created = ?`+where,
			state, pending, seq, active, next.Agent, next.User, next.Parent, nanos(next.Created), r.num, int64(now.Seq), now.Epoch, now.Owner)
	}
	return n == 1, err
}

// Acquire implements [agent.Store].
func (s *Store) Acquire(ctx context.Context, session, owner string, ttl time.Duration) (agent.Lease, error) {
	l := agent.Lease{Session: session, Owner: owner, TTL: ttl}
	err := s.w.lease(ctx, func(c *conn) error {
		r, err := load(c, session)
		if err == nil && r == nil {
			r, err = s.w.insert(c, session)
		}
		if err != nil {
			return err
		}
		now := time.Now()
		if r.info.Leased(now) && r.info.Owner != owner {
			return &agent.LeasedError{Session: session, Until: r.info.Until}
		}
		r.info.Owner, r.info.Until = owner, now.Add(ttl)
		r.info.Epoch++
		l.Epoch = r.info.Epoch
		s.w.held[session] = r
		_, err = c.exec(context.Background(), `UPDATE sessions SET owner = ?, until = ?, epoch = ? WHERE num = ?`,
			owner, nanos(r.info.Until), l.Epoch, r.num)
		return err
	})
	if err != nil {
		return agent.Lease{}, fmt.Errorf("acquire session %s: %w", session, err)
	}
	return l, nil
}

// Renew implements [agent.Store].
func (s *Store) Renew(ctx context.Context, l agent.Lease) error {
	err := s.w.lease(ctx, func(c *conn) error {
		n, err := c.change(`UPDATE sessions SET until = ? WHERE id = ? AND owner = ? AND epoch = ?`,
			nanos(time.Now().Add(l.TTL)), l.Session, l.Owner, l.Epoch)
		if err == nil && n == 0 {
			err = agent.ErrFenced
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("renew the lease of session %s: %w", l.Session, err)
	}
	return nil
}

// Release implements [agent.Store].
func (s *Store) Release(ctx context.Context, l agent.Lease) error {
	err := s.w.lease(ctx, func(c *conn) error {
		if r := s.w.held[l.Session]; r != nil && r.ownedBy(&l) {
			delete(s.w.held, l.Session)
		}
		_, err := c.exec(context.Background(), `UPDATE sessions SET owner = '', until = 0 WHERE id = ? AND owner = ? AND epoch = ?`,
			l.Session, l.Owner, l.Epoch)
		return err
	})
	if err != nil {
		return fmt.Errorf("release session %s: %w", l.Session, err)
	}
	return nil
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
	var args []driver.Value
	where := func(cond string, values ...driver.Value) {
		query += ` AND ` + cond
		args = append(args, values...)
	}
	if n := len(f.States); n > 0 {
		states := make([]driver.Value, n)
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
		where(`id >= ?`, f.Prefix)
		if end := after(f.Prefix); end != "" {
			where(`id < ?`, end)
		}
	}
	if f.Top {
		where(`parent = ''`)
	}
	query += ` ORDER BY active DESC, id`
	if f.Limit > 0 {
		query += ` LIMIT ?`
		args = append(args, int64(f.Limit))
	}
	var infos []agent.SessionInfo
	err := s.r.query(ctx, query, args, func(v values) error {
		var r row
		r.scan(v)
		infos = append(infos, r.info)
		return nil
	})
	return infos, err
}

// after is the first text behind all that begin with a prefix, "" if there is
// none.
func after(prefix string) string {
	for n := len(prefix) - 1; n >= 0; n-- {
		if prefix[n] < 0xff {
			return prefix[:n] + string([]byte{prefix[n] + 1})
		}
	}
	return ""
}

// purgeSlice is how many sessions are deleted at a time: others may write in
// between.
const purgeSlice = 100

// Purge implements [agent.Store].
func (s *Store) Purge(ctx context.Context, olderThan time.Time) (int, error) {
	total := 0
	for {
		var n int64
		err := s.w.write(ctx, func(c *conn) (err error) {
			n, err = purge(c, nanos(olderThan), time.Now().UnixNano())
			return err
		})
		if err != nil {
			return total, fmt.Errorf("purge sessions: %w", err)
		}
		if total += int(n); n < purgeSlice {
			return total, nil
		}
	}
}

const (
	oldSessions = `SELECT num FROM sessions WHERE state = 'idle' AND seq > 0 AND active < ? AND (owner = '' OR until <= ?) ORDER BY num LIMIT 100`
	theirs      = `WHERE events.id BETWEEN num << 32 AND num << 32 | 0xffffffff`
)

func purge(c *conn, cutoff, now int64) (int64, error) {
	_, err := c.change(`DELETE FROM events WHERE id IN (SELECT events.id FROM (`+oldSessions+`) CROSS JOIN events `+theirs+`)`, cutoff, now)
	if err != nil {
		return 0, err
	}
	return c.change(`DELETE FROM sessions WHERE num IN (`+oldSessions+`)`, cutoff, now)
}
