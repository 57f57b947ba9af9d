package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helioai/agents"
	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}

var openSandbox = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.Open(context.Background(), nil)
})

// converse asks one question through the real agent, tools and sandbox.
func converse(t *testing.T, arch archive.Archive, box *sandbox.Sandbox, question string) *tools.Data {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	book, err := ledger.Open(filepath.Join(dir, "data", "provenance.json"))
	if err != nil {
		t.Fatal(err)
	}
	env := &tools.Env{User: "test", Session: "test", Dir: dir, Archive: arch, Question: question, Sandbox: box, Ledger: book, CacheDir: fontCache}
	result, err := agents.Lead(New(arch), tools.All(env)).Run(context.Background(), question)
	if err != nil {
		t.Fatalf("%q: %v", question, err)
	}
	data := &tools.Data{}
	if err := json.Unmarshal(result.Output, data); err != nil {
		t.Fatalf("%q: the run ended with %s (%q)", question, result.Output, result.Text)
	}
	return data
}

// fontCache spares each run matplotlib's search for fonts.
var fontCache = filepath.Join(os.TempDir(), fmt.Sprintf("helios-offline-test-%d", os.Getpid()))

// claims brings checked claims into the form that the table judges.
func claimsOf(claims []check.Claim) []claimed {
	var out []claimed
	for _, c := range claims {
		raw, _ := json.Marshal(c.Value)
		out = append(out, claimed{Name: c.Name, Value: raw, Units: c.Units, Source: c.Source})
	}
	return out
}

// TestAnswersHoldInTheRealSession asks a few questions of the table, one of
// each kind, through the real agent, Python in the sandbox and the check of the
// numbers: the answers must be those of the table, and every number matched.
// HELIOS_OFFLINE_ALL=1 asks the whole table, which takes some minutes.
func TestAnswersHoldInTheRealSession(t *testing.T) {
	t.Parallel()
	box, err := openSandbox()
	testdata.Need(t, "a sandbox for Python", err)
	t.Cleanup(func() { os.RemoveAll(fontCache) })
	asked := strings.Fields("a01 a05 a06 a12 a15")
	if testing.Short() {
		asked = asked[:1]
	}
	if all := os.Getenv("HELIOS_OFFLINE_ALL"); all != "" {
		asked = nil
		for _, q := range readQuestions(t) {
			asked = append(asked, q.id)
		}
	}
	for _, q := range readQuestions(t) {
		if !strings.Contains(strings.Join(asked, " ")+" ", q.id+" ") {
			continue
		}
		t.Run(q.id, func(t *testing.T) {
			arch := openReal(t, q.files...)
			data := converse(t, arch, box, q.text)
			b := newBench(t, arch, nil)
			b.answer, b.claims, b.refused = data.Answer, claimsOf(data.Claims), data.Unanswered
			q.loose = true // what else is claimed, the check of the numbers judges
			if verdict, why := q.judge(b); verdict != right && !strings.HasPrefix(why, "no figure") {
				t.Errorf("%q: %s\nanswer: %s", q.text, why, data.Answer)
			}
			if v := data.Verdict; len(data.Claims) > 0 && !v.AllMatched() {
				t.Errorf("%q: %s\nanswer: %s\n%v\n%v", q.text, v.Summary(), data.Answer, v.Claims, v.Numbers)
			}
		})
	}
}
