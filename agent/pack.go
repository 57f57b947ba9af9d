package agent

import (
	"encoding/binary"
	"encoding/json"
	"strings"

	"github.com/helios-go/helios/llm"
)

// What an idle session remembers is kept packed: as a string of bytes, a
// fraction of what the values take, from which equal ones are made when somebody
// asks.

// packed are values at rest.
type packed struct {
	bytes string
	kept  []any // what stays as it is: long texts, media, events of rare kinds
}

// Texts of so many bytes are shared instead of copied.
const longText = 64

// A coder packs values or unpacks them. Each of its methods goes both ways, so
// that there is one description of every type. Values that are packed are shared
// with others, and not written to.
type coder struct {
	unpacking bool
	alone     bool   // nothing is kept beside
	out       []byte // packed so far
	in        string // to unpack
	at        int    // of what is left of it
	kept      []any
	texts
	sizes

	// What is unpacked comes out of a few large pieces.
	parts   []llm.Part
	calls   []llm.ToolCall
	results []llm.ToolResult
	raw     []byte
}

// sizes say how many values of a kind there are.
type sizes struct{ parts, calls, results, raw int }

// pack begins to pack, in a buffer that need not last.
func (c *coder) pack(buf []byte, session string) {
	c.out = buf[:0]
	c.begin(session)
}

// begin learns what is known before the first text.
func (c *coder) begin(session string) {
	c.texts = wordsLearnt
	c.learn(session)
}

// texts are those there have been so far: one that comes again is a number.
type texts struct {
	seen   [96]string
	known  int        // of seen
	places [128]uint8 // in seen, plus one, by a hash; a later text takes the place of another
}

// learn gives a text a number.
func (t *texts) learn(s string) {
	if len(s) > 1 && t.known < len(t.seen) {
		t.seen[t.known] = s
		t.known++
		t.places[place(s)] = uint8(t.known)
	}
}

// find returns the number of a text.
func (t *texts) find(s string) (int, bool) {
	if len(s) < 2 {
		return 0, false
	}
	i := int(t.places[place(s)]) - 1
	return i, i >= 0 && t.seen[i] == s
}

// place tells most texts apart.
func place(s string) int {
	return (len(s)*5 + int(s[0]) + int(s[len(s)-1])*17 + int(s[len(s)/2])*3) & 127
}

// wordsLearnt are texts known before the first one.
var wordsLearnt = func() (t texts) {
	for _, w := range [...]string{
		string(llm.PartText), string(llm.PartCall), string(llm.PartResult),
		string(llm.RoleUser), string(llm.RoleAssistant), string(llm.RoleTool), // OriginUser is RoleUser's
		string(Steer), string(Queue), string(OutcomeOK), string(StopDone),
		string(llm.FinishStop), string(llm.FinishToolCalls),
	} {
		t.learn(w)
	}
	return t
}()

// packed is what has been packed.
func (c *coder) packed() packed {
	var head [4 * binary.MaxVarintLen64]byte
	h := head[:0]
	for _, n := range [...]int{c.sizes.parts, c.sizes.calls, c.sizes.results, c.sizes.raw} {
		h = binary.AppendUvarint(h, uint64(n))
	}
	var b strings.Builder
	b.Grow(len(h) + len(c.out))
	b.Write(h)
	b.Write(c.out)
	return packed{b.String(), c.kept}
}

// unpack begins to unpack.
func (c *coder) unpack(p packed, session string) {
	c.unpacking, c.in, c.kept = true, p.bytes, p.kept
	c.begin(session)
	c.parts = make([]llm.Part, c.length(0))
	c.calls = make([]llm.ToolCall, c.length(0))
	c.results = make([]llm.ToolResult, c.length(0))
	c.raw = make([]byte, c.length(0))
}

// length packs a length, or unpacks and returns it.
func (c *coder) length(n int) int {
	u := uint64(n)
	c.unsigned(&u)
	return int(u)
}

func (c *coder) unsigned(u *uint64) {
	if !c.unpacking {
		if *u < 0x80 {
			c.out = append(c.out, byte(*u)) // as nearly all are
			return
		}
		c.out = binary.AppendUvarint(c.out, *u)
		return
	}
	*u = 0
	for shift := 0; ; shift += 7 {
		b := c.in[c.at]
		c.at++
		*u |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return
		}
	}
}

func number[T ~int | ~int64 | ~uint8](c *coder, p *T) {
	n := int64(*p)
	u := uint64(n)<<1 ^ uint64(n>>63)
	c.unsigned(&u)
	if c.unpacking {
		*p = T(int64(u>>1) ^ -int64(u&1))
	}
}

func (c *coder) truth(p *bool) {
	n := 0
	if *p {
		n = 1
	}
	if n = c.length(n); c.unpacking {
		*p = n == 1
	}
}

// The low bits of a text's first number say what the rest is: its length, the
// number of a text before that is the same, or nothing, for one that is kept.
const (
	textHere, textSeen, textKept = 0, 1, 2
	textBits                     = 2
)

func text[T ~string](c *coder, p *T) {
	if s := c.text(string(*p)); c.unpacking {
		*p = T(s)
	}
}

func (c *coder) text(s string) string {
	if c.unpacking {
		n := c.length(0)
		switch n & (1<<textBits - 1) {
		case textSeen:
			return c.seen[n>>textBits]
		case textKept:
			s, _ = c.keep(nil).(string)
			return s
		}
		s = c.cut(n >> textBits)
		c.learn(s)
		return s
	}
	if i, ok := c.find(s); ok {
		c.length(i<<textBits + textSeen)
		return s
	}
	if len(s) >= longText && !c.alone {
		c.length(textKept)
		c.keep(s)
		return s
	}
	c.length(len(s)<<textBits + textHere)
	c.out = append(c.out, s...)
	c.learn(s)
	return s
}

// cut takes the next bytes.
func (c *coder) cut(n int) string {
	c.at += n
	return c.in[c.at-n : c.at]
}

// keep puts a value beside the packed ones, or takes the next one there.
func (c *coder) keep(v any) any {
	if !c.unpacking {
		c.kept = append(c.kept, v)
		return v
	}
	v = c.kept[0]
	c.kept = c.kept[1:]
	return v
}

// keepIf keeps a pointer that is not nil.
func keepIf[T any](c *coder, p **T) {
	there := *p != nil
	if c.truth(&there); !there {
		return
	}
	if kept, ok := c.keep(*p).(*T); ok && c.unpacking {
		*p = kept
	}
}

// bytes packs raw bytes; nil is not the same as none.
func (c *coder) bytes(p *json.RawMessage) {
	const none, kept, here = 0, 1, 2 // and more: the length
	n := none
	switch {
	case len(*p) >= longText:
		n = kept
	case *p != nil:
		n = here + len(*p)
	}
	switch n = c.length(n); {
	case n == none:
	case n == kept:
		if v, ok := c.keep(*p).(json.RawMessage); ok && c.unpacking {
			*p = v
		}
	case c.unpacking:
		*p = take(&c.raw, n-here)
		copy(*p, c.cut(n-here))
	default:
		c.out = append(c.out, *p...)
		c.sizes.raw += n - here
	}
}

// take cuts n values off a piece.
func take[T any](piece *[]T, n int) []T {
	if n == 0 {
		return []T{}
	}
	s := (*piece)[:n:n]
	*piece = (*piece)[n:]
	return s
}

// usage and what follows are the types of a conversation.
func (c *coder) usage(u *llm.Usage) {
	number(c, &u.Input)
	number(c, &u.CacheRead)
	number(c, &u.CacheWrite)
	number(c, &u.Output)
}

func (c *coder) message(m *llm.Message) {
	text(c, &m.Role)
	c.partList(&m.Parts)
	text(c, &m.Origin)
}

func (c *coder) partList(p *[]llm.Part) {
	n := 0
	if *p != nil {
		n = 1 + len(*p)
	}
	if n = c.length(n); n == 0 {
		return
	}
	if c.unpacking {
		*p = take(&c.parts, n-1)
	}
	c.sizes.parts += n - 1
	for i := range *p {
		c.part(&(*p)[i])
	}
}

func (c *coder) part(p *llm.Part) {
	const signed, call, result, rare, cache, owned = 1, 2, 4, 8, 16, 32
	holds := 0
	for flag, is := range [...]bool{
		p.Signature != "", p.Call != nil, p.Result != nil, p.Media != nil || p.File != nil || p.Opaque != nil, p.Cache, p.Model != "",
	} {
		if is {
			holds |= 1 << flag
		}
	}
	holds = c.length(holds)
	text(c, &p.Kind)
	text(c, &p.Text)
	if holds&signed != 0 {
		text(c, &p.Signature)
	}
	if holds&call != 0 {
		c.call(&p.Call)
	}
	if holds&result != 0 {
		c.result(&p.Result)
	}
	if holds&rare != 0 {
		keepIf(c, &p.Media)
		keepIf(c, &p.File)
		keepIf(c, &p.Opaque)
	}
	if holds&owned != 0 {
		text(c, &p.Model)
	}
	if c.unpacking {
		p.Cache = holds&cache != 0
	}
}

func (c *coder) call(p **llm.ToolCall) {
	if c.unpacking {
		*p = &take(&c.calls, 1)[0]
	}
	c.sizes.calls++
	text(c, &(*p).ID)
	text(c, &(*p).Name)
	c.bytes(&(*p).Args)
}

func (c *coder) result(p **llm.ToolResult) {
	if c.unpacking {
		*p = &take(&c.results, 1)[0]
	}
	c.sizes.results++
	text(c, &(*p).ID)
	text(c, &(*p).Name)
	c.partList(&(*p).Parts)
	c.truth(&(*p).IsError)
}
