package hapi_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/internal/testdata"
)

// Every dataset of CDAWeb's HAPI server can be described.
func TestTheHeadersOfARealServerAreRead(t *testing.T) {
	t.Parallel()
	f, err := os.Open(testdata.File(t, "data/cdaweb-catalogue.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	datasets, parameters := 0, 0
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		in, err := hapi.ParseInfo(lines.Bytes())
		if err != nil {
			var d struct{ ID string }
			_ = json.Unmarshal(lines.Bytes(), &d)
			t.Errorf("%s: %v", d.ID, err)
			continue
		}
		datasets++
		parameters += len(in.Parameters)
	}
	if err := lines.Err(); err != nil || datasets != 2539 || parameters != 64855 {
		t.Errorf("%d datasets with %d parameters, %v; want 2539 with 64855", datasets, parameters, err)
	}
}
