package command

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// A progress shows a stream while it comes. What it shows was redacted with the
// secrets that were known when the call began.
type progress struct {
	mu   *sync.Mutex // of all streams of the call
	call *tool.Call
	w    *secret.Writer
	left int    // bytes that may still be shown
	part []byte // a character that has not come to its end
}

func newProgress(call *tool.Call, mu *sync.Mutex, r *secret.Redactor, most int) *progress {
	p := &progress{mu: mu, call: call, left: most}
	p.w = r.Writer(shower{p})
	return p
}

func (p *progress) write(data []byte) {
	if p.left > 0 {
		_, _ = p.w.Write(data)
	}
}

// close shows what was held back, if the stream came to its end.
func (p *progress) close() {
	if p != nil && p.left > 0 {
		_ = p.w.Close()
	}
}

// A shower is what a progress redacts to.
type shower struct{ p *progress }

func (s shower) Write(data []byte) (int, error) {
	p := s.p
	text := slices.Concat(p.part, data)
	whole := len(text)
	if i := lastStart(text); i < whole && !utf8.FullRune(text[i:]) {
		whole = i
	}
	p.part = text[whole:]
	valid := bytes.ToValidUTF8(text[:whole], []byte("\uFFFD"))
	shown := shorten(valid, p.left)
	p.left -= len(shown)
	if len(shown) < len(valid) {
		p.left = 0
	}
	if len(shown) > 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.call.Progress(llm.Text(string(shown)))
	}
	return len(data), nil
}

// lastStart is where the last character begins, or could.
func lastStart(text []byte) int {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return len(text)
}
