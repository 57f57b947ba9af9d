package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/archive"
)

// fetching shows how far a fetch is: on a terminal as a bar, elsewhere only what
// went wrong on the way.
type fetching struct {
	*live
	last  archive.Progress
	noted string // the last wait that was told
}

func newFetching(w io.Writer, what string) *fetching {
	f := &fetching{live: newLive(w)}
	f.show(what, time.Now())
	return f
}

// told takes one report. Reports of one fetch come one at a time.
func (f *fetching) told(p archive.Progress) {
	f.last = p
	f.progress(progressText(p))
	if p.Waiting != "" && p.Waiting != f.noted {
		f.noted = p.Waiting
		f.line(caution.Render("! " + clip(p.Waiting)))
	}
}

const barWidth = 24

func progressText(p archive.Progress) string {
	if p.Total == 0 {
		return ""
	}
	text := bar(p.Done, p.Total, barWidth) + fmt.Sprintf(" %d of %s", p.Done, plural(p.Total, "piece"))
	if p.Cached > 0 {
		text += fmt.Sprintf(", %d from the cache", p.Cached)
	}
	if p.Records > 0 {
		text += ", " + grouped(p.Records) + " records"
	}
	if p.Bytes > 0 {
		text += ", " + sizeText(p.Bytes)
	}
	return text
}

// bar draws done of total.
func bar(done, total, width int) string {
	full := width
	if total > 0 {
		full = min(width, width*done/total)
	}
	return strings.Repeat("━", full) + strings.Repeat("╌", width-full)
}

// sizeText is a number of bytes as people say it.
func sizeText(n int64) string {
	switch {
	case n < 10_000:
		return grouped(n) + " bytes"
	case n < 10_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	case n < 10_000_000_000:
		return fmt.Sprintf("%d MB", n/1_000_000)
	}
	return fmt.Sprintf("%d GB", n/1_000_000_000)
}
