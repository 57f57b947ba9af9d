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
	w     io.Writer
	width func() int // of the terminal that w is, in columns; nil: it is none

	mu      sync.Mutex
	running string
	detail  string
	since   time.Time
	shown   bool

	once    sync.Once
	stop    chan struct{}
	stopped chan struct{}
}

func newLive(w io.Writer) *live {
	if !isTerminal(w) {
		return startLive(w, nil)
	}
	return startLive(w, func() int { return terminalWidth(w) })
}

func startLive(w io.Writer, width func() int) *live {
	l := &live{w: w, width: width, stop: make(chan struct{}), stopped: make(chan struct{})}
	if width == nil {
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

// show says what is running, and since when; "" when nothing is.
func (l *live) show(what string, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running, l.detail, l.since = what, "", since
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
	if l.width == nil || l.running == "" {
		return
	}
	text := fmt.Sprintf("  %s %.1f s", l.running, time.Since(l.since).Seconds())
	if l.detail != "" {
		text += "  " + l.detail
	}
	// The last column stays free: some terminals begin a new line after it, and
	// the status line could not be erased any more.
	text = cutTo(text, l.width()-1)
	_, _ = lipgloss.Fprint(l.w, "\r"+faint.Render(text)+clearToEnd)
	l.shown = true
}

func (l *live) erase() {
	if l.shown {
		_, _ = io.WriteString(l.w, "\r"+clearToEnd)
		l.shown = false
	}
}

// close erases the status line and waits for what draws it. Later calls do nothing.
func (l *live) close() { l.once.Do(l.end) }

func (l *live) end() {
	l.mu.Lock()
	l.running = ""
	l.erase()
	l.mu.Unlock()
	if l.width != nil {
		close(l.stop)
	}
	<-l.stopped
}
