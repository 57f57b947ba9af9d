package agent

import (
	"slices"
	"time"

	"github.com/helios-go/helios/secret"
)

// A stretch is a part of a log at rest.
type stretch struct {
	from Seq
	n    int
	packed
}

// packLog packs the records of a session that begin with Seq from.
func packLog(session string, from Seq, records []record) stretch {
	var c coder
	var buf [1024]byte
	c.pack(buf[:], session)
	c.records(records)
	return stretch{from, len(records), c.packed()}
}

// end is the Seq after the last one.
func (p *stretch) end() Seq { return p.from + Seq(p.n) }

func (p *stretch) unpack(session string) []record {
	var c coder
	c.unpack(p.packed, session)
	records := make([]record, p.n)
	c.records(records)
	return records
}

func (c *coder) records(records []record) {
	var last int64
	for i := range records {
		r := &records[i]
		since := r.nanos - last
		number(c, &since)
		last += since
		if c.unpacking {
			r.nanos = last
		}
		number(c, &r.turn)
		text(c, &r.run)
		c.data(&r.data)
	}
}

func packInfo(i *SessionInfo) string {
	var c coder
	var buf [256]byte
	c.pack(buf[:], i.ID)
	c.alone = true
	c.info(i)
	return c.packed().bytes
}

func unpackInfo(session, bytes string) *SessionInfo {
	var c coder
	var i SessionInfo
	c.unpack(packed{bytes: bytes}, session)
	c.info(&i)
	return &i
}

func (c *coder) info(i *SessionInfo) {
	for _, p := range [...]*string{&i.ID, &i.Agent, &i.User, &i.Parent, (*string)(&i.State), &i.Owner} {
		text(c, p)
	}
	number(c, &i.Pending)
	number(c, &i.Seq)
	number(c, &i.Epoch)
	for _, p := range [...]*time.Time{&i.Created, &i.Active, &i.Until} {
		r := record{nanos: nanos(*p)}
		if number(c, &r.nanos); c.unpacking {
			*p = r.event(0).Time
		}
	}
}

// The kinds of events that are packed; the others are kept.
var packedKinds = [...]EventKind{
	KindSessionOpened, KindUserMessage, KindRunStarted, KindTurnStarted,
	KindModelMessage, KindToolStarted, KindToolEnded, KindRunEnded,
}

func (c *coder) data(p *EventData) {
	kind := len(packedKinds)
	if !c.unpacking && packable(*p) {
		if i := slices.Index(packedKinds[:], (*p).kind()); i >= 0 {
			kind = i
		}
	}
	if kind = c.length(kind); kind == len(packedKinds) {
		if kept, ok := c.keep(*p).(EventData); ok && c.unpacking {
			*p = kept
		}
		return
	}
	if c.unpacking {
		*p = newData(packedKinds[kind])
	}
	switch d := (*p).(type) {
	case *SessionOpened:
		text(c, &d.Agent)
		text(c, &d.Model)
		text(c, &d.User)
		keepIf(c, &d.Parent)
	case *UserMessage:
		c.message(&d.Message)
		text(c, &d.Delivery)
		text(c, &d.Origin)
		text(c, &d.At)
		number(c, &d.Replaces)
		text(c, &d.Key)
	case *RunStarted:
		c.left(&d.Left)
	case *TurnStarted:
		c.seqs(&d.Took)
		c.truth(&d.Final)
		c.left(&d.Left)
	case *ModelMessage:
		c.modelMessage(d)
	case *ToolStarted:
		number(c, &d.Index)
		c.call(&d.Call)
		number(c, &d.Effect)
		number(c, &d.ToolKind)
		text(c, &d.Key)
		number(c, &d.Decision)
		text(c, &d.IdempotencyKey)
		c.counts(&d.Redactions)
	case *ToolEnded:
		number(c, &d.Index)
		text(c, &d.Outcome)
		c.result(&d.Result)
		c.bytes(&d.Data)
		number(c, &d.Duration)
		c.truth(&d.Final)
		c.counts(&d.Redactions)
	case *RunEnded:
		c.runResult(&d.Result)
		c.seqs(&d.Dropped)
	}
}

// packable reports whether an event has what its packed form relies on.
func packable(d EventData) bool {
	switch d := d.(type) {
	case *ToolStarted:
		return d.Call != nil
	case *ToolEnded:
		return d.Result != nil
	case *RunEnded:
		return plain(d.Result)
	}
	return true
}

// plain reports whether a result can be packed: an error cannot.
func plain(r *Result) bool { return r != nil && r.Err == nil && r.Question == nil }

func (c *coder) modelMessage(d *ModelMessage) {
	text(c, &d.Model)
	c.message(&d.Message)
	c.usage(&d.Usage)
	number(c, &d.Cost)
	text(c, &d.Finish)
	c.bytes(&d.Meta)
	c.truth(&d.Partial)
	number(c, &d.Attempt)
}

// counts are rare.
func (c *coder) counts(p *secret.Counts) {
	there := *p != nil
	if c.truth(&there); !there {
		return
	}
	if kept, ok := c.keep(*p).(secret.Counts); ok && c.unpacking {
		*p = kept
	}
}

func (c *coder) left(l *Left) {
	number(c, &l.Turns)
	number(c, &l.ToolCalls)
	number(c, &l.Wall)
	number(c, &l.Money)
}

func (c *coder) seqs(p *[]Seq) {
	n := 0
	if *p != nil {
		n = 1 + len(*p)
	}
	if n = c.length(n); n == 0 {
		return
	}
	if c.unpacking {
		*p = make([]Seq, n-1)
	}
	for i := range *p {
		number(c, &(*p)[i])
	}
}

// runResult packs a plain result.
func (c *coder) runResult(r **Result) {
	if c.unpacking {
		*r = new(Result)
	}
	text(c, &(*r).Session)
	text(c, &(*r).Run)
	text(c, &(*r).Text)
	c.bytes(&(*r).Output)
	text(c, &(*r).Stop)
	c.usage(&(*r).Usage)
	number(c, &(*r).Cost)
	number(c, &(*r).Turns)
	number(c, &(*r).ToolCalls)
}
