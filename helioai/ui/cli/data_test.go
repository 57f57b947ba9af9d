package cli

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/archive"
)

func TestAFileWithoutATimeAxisIsNotCalledEmpty(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	writeDataset(&b, archive.Dataset{ID: "matrix"}, false)
	if got := b.String(); !strings.Contains(got, "no variable with a time axis") || strings.Contains(got, "no records") {
		t.Errorf("got %q", got)
	}
}
