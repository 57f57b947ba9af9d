package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"iter"

	"github.com/helios-go/helios/agent"
)

// seqBits are those of an event's id that hold its seq; the rest is its
// session's number.
const (
	seqBits = 32
	maxSeq  = 1<<seqBits - 1
)

func eventID(num int64, seq agent.Seq) int64 { return num<<seqBits | int64(min(seq, maxSeq)) }

// Append implements [agent.Store].
func (s *Store) Append(ctx context.Context, l agent.Lease, events []agent.Event) (agent.Seq, error) {
	seq, err := s.add(ctx, l.Session, events, &l)
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

// add writes events, under a lease or, if it is nil, without.
func (s *Store) add(ctx context.Context, session string, events []agent.Event, l *agent.Lease) (seq agent.Seq, err error) {
	texts := make([]string, len(events))
	for i := range events {
		e := events[i]
		e.Seq = 0 // it is the row's
		text, err := e.MarshalJSON()
		if err != nil {
			return 0, err
		}
		texts[i] = string(text)
	}
	err = s.w.write(ctx, func(c *conn) error {
		seq, err = s.w.add(c, session, events, texts, l)
		return err
	})
	return seq, err
}

func (w *writer) add(c *conn, session string, events []agent.Event, texts []string, l *agent.Lease) (agent.Seq, error) {
	r, err := w.find(c, session, l)
	if err == nil && r == nil {
		r, err = w.insert(c, session)
	}
	if err != nil {
		return 0, err
	}
	if r.info.Seq+agent.Seq(len(events)) > maxSeq {
		return 0, fmt.Errorf("the session is full: it has %d events", r.info.Seq)
	}
	next := r.info
	for _, e := range events {
		e.Seq = next.Seq + 1
		next.Apply(e)
	}
	if current, err := w.save(c, r, &next); err != nil {
		return 0, err
	} else if !current {
		delete(w.held, session) // another process has written since
		return w.add(c, session, events, texts, l)
	}
	const insert = `INSERT INTO events (id, event) VALUES (?, ?)`
	for i, text := range texts {
		if _, err := c.exec(context.Background(), insert, eventID(r.num, r.info.Seq+agent.Seq(i+1)), text); err != nil {
			return 0, err
		}
		w.wal += len(text)
	}
	r.info = next
	return next.Seq, nil
}

// pageSize is how many events are read at a time: the consumer of an iterator
// must not hold up the file's readers.
const pageSize = 256

const pageQuery = `SELECT events.id & 0xffffffff, event FROM sessions CROSS JOIN events
WHERE sessions.id = ?1 AND events.id BETWEEN num << 32 | ?2 AND num << 32 | 0xffffffff ORDER BY events.id LIMIT 256`

// Read implements [agent.Store].
func (s *Store) Read(ctx context.Context, session string, from agent.Seq) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for next := max(from, 1); next <= maxSeq; {
			page, err := s.readPage(ctx, session, next)
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

func (s *Store) readPage(ctx context.Context, session string, from agent.Seq) ([]agent.Event, error) {
	var seqs []agent.Seq
	var texts []string // looked at when the query is over: it holds up the -wal file
	err := s.r.query(ctx, pageQuery, []driver.Value{session, int64(from)}, func(v values) error {
		seqs, texts = append(seqs, agent.Seq(v.number(0))), append(texts, v.text(1))
		return nil
	})
	page := make([]agent.Event, len(seqs))
	for i := range page {
		if err := page[i].UnmarshalJSON([]byte(texts[i])); err != nil {
			return page[:i], fmt.Errorf("event %d: %w", seqs[i], err)
		}
		page[i].Seq = seqs[i]
	}
	return page, err
}
