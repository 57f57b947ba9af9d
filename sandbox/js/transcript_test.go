package js

import (
	"flag"
	"testing"

	"github.com/helios-go/helios/sandbox/internal/conformance"
)

var update = flag.Bool("update", false, "write the transcripts anew")

func TestTranscript(t *testing.T) {
	t.Parallel()
	conformance.Transcript(t, runtime(t), "testdata/session.txt", *update)
}
