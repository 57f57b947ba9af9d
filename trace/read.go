package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// ErrCut marks a last line that has no end: its writer died, or is writing it.
var ErrCut = errors.New("the last line is cut")

// ReadJSONL yields the lines of a full event file, in order. A line that is no
// event, such as those of a metadata file, is the last thing it yields, as an
// error that names it; one that is cut at the end of the file matches [ErrCut].
//
//	for rec, err := range trace.ReadJSONL(f) {
//		if err != nil { ... }
//		fold.Put(rec.Session, rec.Event)
//	}
func ReadJSONL(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			line, err := lines.ReadBytes('\n')
			switch {
			case errors.Is(err, io.EOF) && len(line) == 0:
				return
			case errors.Is(err, io.EOF):
				yield(Record{}, fmt.Errorf("read event file, line %d: %w", n, ErrCut))
				return
			case err != nil:
				yield(Record{}, fmt.Errorf("read event file, line %d: %w", n, err))
				return
			}
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var rec Record
			if err = json.Unmarshal(line, &rec); err == nil && rec.Event.Data == nil {
				err = errors.New("it holds no event")
			}
			if err != nil {
				yield(Record{}, fmt.Errorf("read event file, line %d: %w", n, err))
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}
