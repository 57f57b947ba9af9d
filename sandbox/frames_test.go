package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func frameBytes(bodies ...string) []byte {
	var b []byte
	for _, body := range bodies {
		b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
		b = append(b, body...)
	}
	return b
}

func TestFramesAreReadWholeHoweverTheyArrive(t *testing.T) {
	t.Parallel()
	data := frameBytes(`{"a":1}`, `"text"`, ` [1, 2] `, `null`)
	for name, r := range map[string]io.Reader{
		"at once":      bytes.NewReader(data),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(data)),
		"in halves":    iotest.HalfReader(bytes.NewReader(data)),
	} {
		limits, _ := Limits{}.withDefaults(false)
		f := frameReader{r: r, limits: limits}
		if err := f.readAll(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := string(bytes.Join(toBytes(f.frames), []byte("|"))); got != `{"a":1}|"text"| [1, 2] |null` {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func toBytes(frames []json.RawMessage) [][]byte {
	var all [][]byte
	for _, f := range frames {
		all = append(all, f)
	}
	return all
}

func TestFrameLimits(t *testing.T) {
	t.Parallel()
	limits := Limits{Frame: 10, Frames: 3, FramesAll: 20}
	for name, c := range map[string]struct {
		bodies []string
		want   int
		err    string
	}{
		"within":         {[]string{`"12345678"`, `"1234567"`, `1`}, 3, ""},
		"one too large":  {[]string{`1`, `"123456789"`}, 1, "frame 2 of the program: its length of 11 bytes is over the limit of 10"},
		"too many":       {[]string{`1`, `2`, `3`, `4`}, 3, "more than 3 frames"},
		"all too large":  {[]string{`"12345678"`, `"12345678"`, `1`}, 2, "together are over the limit of 20 bytes"},
		"none":           {nil, 0, ""},
		"deeply nested":  {[]string{`[[[[[]]]]]`}, 1, ""},
		"trailing bytes": {[]string{`1 x`}, 0, "not JSON"},
	} {
		f := frameReader{r: bytes.NewReader(frameBytes(c.bodies...)), limits: limits}
		err := f.readAll()
		if len(f.frames) != c.want {
			t.Errorf("%s: got %d frames, want %d", name, len(f.frames), c.want)
		}
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: got error %v, want %q", name, err, c.err)
		}
	}
}

func TestFrameReadErrorIsPassedOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	limits, _ := Limits{}.withDefaults(false)
	f := frameReader{r: io.MultiReader(bytes.NewReader(frameBytes(`1`)), iotest.ErrReader(broken)), limits: limits}
	if err := f.readAll(); !errors.Is(err, broken) || len(f.frames) != 1 {
		t.Errorf("got %d frames, error %v", len(f.frames), err)
	}
}

// An announced length alone must cost nothing.
func TestAnnouncedLengthAllocatesNothing(t *testing.T) { //nolint:paralleltest // it measures the process's memory
	limits := Limits{Frame: 1 << 30, Frames: 10, FramesAll: 1 << 40}
	data := append([]byte{0x3f, 0xff, 0xff, 0xff}, "[1"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := frameReader{r: bytes.NewReader(data), limits: limits}
	err := f.readAll()
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "after 2 of 1073741823 bytes") {
		t.Errorf("got error %v", err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes were allocated for 6", got)
	}
}

func TestCaptureKeepsTheBeginning(t *testing.T) {
	t.Parallel()
	c := capture{keep: 5}
	for _, p := range []string{"ab", "cd", "ef", "gh"} {
		if n, err := c.Write([]byte(p)); n != 2 || err != nil {
			t.Fatalf("got %d, %v", n, err)
		}
	}
	if string(c.bytes) != "abcde" || !c.cut {
		t.Errorf("kept %q, cut %v", c.bytes, c.cut)
	}
	exact := capture{keep: 2}
	_, _ = exact.Write([]byte("ab"))
	if string(exact.bytes) != "ab" || exact.cut {
		t.Errorf("kept %q, cut %v, want all and no cut", exact.bytes, exact.cut)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(frameBytes(`{"a":1}`, `[]`))
	f.Add(frameBytes(`"\u0000"`, ``))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, '1'})
	f.Add([]byte{0, 0, 0, 2, '[', ']', 0, 0})
	limits := Limits{Frame: 64, Frames: 8, FramesAll: 256}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := frameReader{r: bytes.NewReader(data), limits: limits}
		err := r.readAll()
		var again []byte
		for _, frame := range r.frames {
			if !json.Valid(frame) {
				t.Fatalf("%q was taken for JSON", frame)
			}
			again = append(again, frameBytes(string(frame))...)
		}
		if len(r.frames) > limits.Frames || int64(len(again)-4*len(r.frames)) > limits.FramesAll {
			t.Fatalf("%d frames of %d bytes are over the limits", len(r.frames), len(again))
		}
		// What was accepted is what was written, in order; without an error it is all.
		if !bytes.HasPrefix(data, again) || err == nil && len(again) != len(data) {
			t.Fatalf("read %q from %q, error %v", again, data, err)
		}
	})
}
