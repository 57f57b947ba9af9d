package places_test

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/places"
)

func TestADirectoryThatCannotBeWrittenIsRefused(t *testing.T) {
	t.Parallel()
	// Nobody makes files there, root neither.
	_, err := places.Open("/proc/self")
	if err == nil || !strings.Contains(err.Error(), "write to the data directory /proc/self: ") || !strings.Contains(err.Error(), "set HELIOAI_DATA_DIR") {
		t.Errorf("err = %v, want one that says what to set", err)
	}
}
