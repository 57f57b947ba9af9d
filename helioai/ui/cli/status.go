package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"charm.land/lipgloss/v2"
)

// clearToEnd erases what stands behind the cursor on its line.
const clearToEnd = "\x1b[K"

// statusTick is how often a running step's time is shown anew.
const statusTick = 100 * time.Millisecond

// A live writes lines as they come, and on a terminal below them one status
// line that says what is running and for how long. Elsewhere only the lines are
// written, so that a log stays readable. It is safe for concurrent use; close
// ends it.
type live struct {
	w        io.Writer
	terminal bool

	mu      sync.Mutex
	running string
	detail  string
	since   time.Time
	shown   bool

	stop    chan struct{}
	stopped chan struct{}
}

func newLive(w io.Writer) *live {
	l := &live{w: w, terminal: isTerminal(w), stop: make(chan struct{}), stopped: make(chan struct{})}
	if !l.terminal {
		close(l.stopped)
		return l
	}
	go l.tick()
	return l
}

func (l *live) tick() {
	defer close(l.stopped)
	ticker := time.NewTicker(statusTick)
	defer ticker.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-ticker.C:
			l.mu.Lock()
			l.draw()
			l.mu.Unlock()
		}
	}
}

// line writes one line for good.
func (l *live) line(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	_, _ = lipgloss.Fprintln(l.w, s) // live lines are a courtesy; the answer is what counts
	l.draw()
}

// run says what is running now; "" when nothing is.
func (l *live) run(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running, l.detail, l.since = what, "", time.Now()
	l.erase()
	l.draw()
}

// progress says how far the running step is.
func (l *live) progress(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.detail = text
	l.erase()
	l.draw()
}

func (l *live) draw() {
	if !l.terminal || l.running == "" {
		return
	}
	text := fmt.Sprintf("  %s %.1f s", l.running, time.Since(l.since).Seconds())
	if l.detail != "" {
		text += "  " + l.detail
	}
	width := terminalWidth(l.w) - 1
	if runes := []rune(text); len(runes) > width {
		text = string(runes[:width-1]) + "…"
	}
	_, _ = lipgloss.Fprint(l.w, "\r"+faint.Render(text)+clearToEnd)
	l.shown = true
}

func (l *live) erase() {
	if l.shown {
		_, _ = io.WriteString(l.w, "\r"+clearToEnd)
		l.shown = false
	}
}

// close erases the status line and waits for what draws it.
func (l *live) close() {
	l.mu.Lock()
	l.running = ""
	l.erase()
	l.mu.Unlock()
	if l.terminal {
		close(l.stop)
	}
	<-l.stopped
}
