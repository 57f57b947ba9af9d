package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/store/sqlite"
)

// BenchmarkAsk runs the whole program, process start included, on a day of ACE
// data, and reports how long it spent outside of its Python scripts: the data,
// the planner, the log, proving and preparing the sandbox, the check, the
// notebook. The limit is 300 ms.
func BenchmarkAsk(b *testing.B) {
	file := testdata.File(b, "data/ac_h0_mfi_20230102_v07.cdf")
	_, err := sandbox.Open(b.Context(), nil)
	testdata.Need(b, "Python under the sandbox", err)
	home := b.TempDir()
	var python time.Duration
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), "helioai", "ask", "--json", "--data", file,
			"mean and maximum of the field magnitude, and when, and the minimum Bz GSM")
		cmd.Env = append(os.Environ(), "HELIOAI_DATA_DIR="+home)
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		var answer helioai.Answer
		if err := json.Unmarshal(out, &answer); err != nil {
			b.Fatal(err)
		}
		if !answer.Verdict.AllMatched() {
			b.Fatalf("verdict: %s", answer.Verdict.Summary())
		}
		b.StopTimer()
		python += scriptTime(b, home, answer.Session)
		b.StartTimer()
	}
	total := float64(b.Elapsed().Milliseconds()) / float64(b.N)
	inPython := float64(python.Milliseconds()) / float64(b.N)
	b.ReportMetric(inPython, "python-ms/op")
	b.ReportMetric(total-inPython, "outside-ms/op")
}

// scriptTime is how long the session's scripts ran.
func scriptTime(b *testing.B, home, session string) time.Duration {
	b.Helper()
	store, err := sqlite.Open(filepath.Join(home, "sessions.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	var seconds float64
	for e, err := range store.Read(b.Context(), session, 1) {
		if err != nil {
			b.Fatal(err)
		}
		var data tools.Data
		if ended, ok := e.Data.(*agent.ToolEnded); ok && json.Unmarshal(ended.Data, &data) == nil && data.Script != nil {
			seconds += data.Script.Seconds
		}
	}
	return time.Duration(seconds * float64(time.Second))
}
