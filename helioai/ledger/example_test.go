package ledger_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/helioai/ledger"
)

func Example() {
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	l, err := ledger.Open(filepath.Join(dir, "data", "provenance.json"))
	if err != nil {
		fmt.Println(err)
		return
	}
	origin := ledger.Origin{Tool: "get_timeseries", Inputs: []ledger.Input{{ID: "local/ac_h0_mfi/Magnitude"}}}
	err = l.Add(
		ledger.NewNumber("magnitude_mean", 3.6705, "nT", origin),
		ledger.NewCount("magnitude_n_missing", 0, "", origin),
	)
	latest, _ := l.Latest("magnitude_mean")
	fmt.Println(err, latest.Value, latest.Units, latest.Origin.Tool)
	// Output: <nil> 3.6705 nT get_timeseries
}

func ExampleFromExport() {
	frame := json.RawMessage(`{"type":"export","name":"hours_below","kind":"number","units":"","value":5}`)
	e, err := ledger.FromExport(frame, ledger.Origin{Tool: "run_python", Code: "code_0.py"})
	fmt.Println(e.Name, e.Value, e.Integer, err)

	_, err = ledger.FromExport(json.RawMessage(`{"name":"b","kind":"number"}`), ledger.Origin{})
	fmt.Println(err)
	// Output:
	// hours_below 5 true <nil>
	// export "b": a number needs "value"
}
