package repocheck

// Imports is the table of imports. The first row that matches a package counts.
var Imports = []Row{
	// The framework.
	{
		Packages: []string{"./llm"},
		Modules:  []string{"github.com/google/jsonschema-go"},
		Because:  "every package speaks of models in these types, so what llm imports everything imports",
	},
	{
		Packages: []string{"./llm/llmtest"},
		May:      []string{"./llm", "./tool"},
		Because:  "a scripted model stands where a provider would, which knows of no agent",
	},
	{
		Packages: []string{"./tool"},
		May:      []string{"./llm"},
		Modules:  []string{"github.com/google/jsonschema-go"},
		Because:  "a tool is declared once for every loop, server and store; it must not know who calls it",
	},
	{
		Packages: []string{"./tool/..."},
		May:      []string{"./llm", "./tool", "./workspace", "./secret", "./sandbox/..."},
		Because:  "a ready tool works under any agent, so it must not know one",
	},
	{
		Packages: []string{"./secret/...", "./fault/...", "./workspace/..."},
		Modules:  []string{"golang.org/x/sys"},
		Because:  "these are leaves that every layer may lean on; an import upwards would be a cycle in waiting",
	},
	{
		Packages: []string{"./agent"},
		May:      []string{"./llm", "./tool", "./secret", "./fault"},
		Because:  "the loop does no input or output of its own: providers, stores, sandboxes and servers are handed to it",
	},
	{
		Packages: []string{"./agent/agenttest"},
		May:      []string{"./agent", "./llm", "./llm/llmtest", "./tool", "./secret", "./fault"},
		Because:  "fakes for those who test an agent must not bring real stores and providers along",
	},
	{
		Packages: []string{"./provider"},
		May:      []string{"./llm"},
		Because:  "what models are and cost can be known without speaking to them",
	},
	{
		Packages: []string{"./provider/..."},
		May:      []string{"./llm", "./provider", "./provider/internal/...", "./internal/httpx", "./internal/sse"},
		Because:  "a provider translates between llm's types and a wire; retries, budgets and tools belong to the session",
	},
	{
		Packages: []string{"./sandbox/js/..."},
		May:      []string{"./sandbox", "./sandbox/repl", "./secret"},
		Modules:  []string{"github.com/dop251/goja", "golang.org/x/sys"},
		Because:  "it confines programs, whoever wrote them and whatever for",
	},
	{
		Packages: []string{"./sandbox/..."},
		May:      []string{"./sandbox/...", "./secret"},
		Modules:  []string{"golang.org/x/sys", "golang.org/x/net/bpf", "github.com/landlock-lsm/go-landlock", "github.com/elastic/go-seccomp-bpf", "kernel.org/pub/linux/libs/security/libcap/psx"},
		Because:  "it confines programs, whoever wrote them and whatever for, and every line in it is a line that the confinement rests on",
	},
	{
		Packages: []string{"./prompt"},
		Because:  "a prompt is a text with a number; what it is for is not its business",
	},
	{
		Packages: []string{"./prompt/prompttest"},
		May:      []string{"./prompt"},
		Because:  "whoever writes a registry tests it without bringing another one along",
	},
	{
		Packages: []string{"./store/..."},
		May:      []string{"./agent", "./tool", "./llm", "./secret", "./prompt"},
		Modules:  []string{"modernc.org/sqlite", "github.com/jackc/pgx/v5", "github.com/riverqueue/river", "github.com/google/uuid"},
		Because:  "a store keeps the log of any agent, and prompts in the same file",
	},
	{
		Packages: []string{"./trace/..."},
		May:      []string{"./agent", "./tool", "./llm", "./secret", "./trace"},
		Modules:  []string{"go.opentelemetry.io/otel"},
		Because:  "spans are folded from the log of any agent",
	},
	{
		Packages: []string{"./preset/...", "./serve/...", "./mcp/...", "./embedding/..."},
		May:      []string{"./agent", "./tool/...", "./llm", "./secret", "./fault", "./workspace", "./sandbox/...", "./internal/httpx", "./internal/sse"},
		Modules:  []string{"github.com/modelcontextprotocol/go-sdk", "github.com/yalue/onnxruntime_go", "github.com/sugarme/tokenizer"},
		Because:  "what is built on the agent serves every assistant, so it knows none",
	},

	// Heliophysics.
	{
		Packages: []string{"./helio/internal/polite"},
		May:      []string{"./internal/httpx"},
		Because:  "it is how the clients of archives speak HTTP, and knows of no archive",
	},
	{
		Packages: []string{"./helio/hapi/...", "./helio/archive/..."},
		May:      []string{"./helio/...", "./internal/httpx"},
		Modules:  []string{"gonum.org/v1/gonum", "gonum.org/v1/plot", "github.com/sbinet/npyio", "github.com/klauspost/compress"},
		Because:  "helio is for Go programs with no model in sight",
	},
	{
		Packages: []string{"./helio/..."},
		May:      []string{"./helio/..."},
		Modules:  []string{"gonum.org/v1/gonum", "gonum.org/v1/plot", "github.com/sbinet/npyio", "github.com/klauspost/compress"},
		Because:  "helio is for Go programs with no model in sight, and a file or a formula needs no network",
	},

	// The assistant.
	{
		Packages: []string{"./helioai/check/...", "./helioai/ledger/..."},
		May:      []string{"./helio/...", "./helioai/ledger"},
		Because:  "what judges an answer must not know the model, the tools or the words that made it",
	},
	{
		Packages: []string{"./helioai/..."},
		May:      []string{"./..."},
		Modules:  []string{"github.com/google/jsonschema-go", "github.com/google/uuid", "github.com/spf13/cobra", "charm.land/lipgloss/v2", "charm.land/glamour/v2", "golang.org/x/sys", "golang.org/x/term"},
		Because:  "the assistant is put together from the packages below it, and a new module needs a reason in docs/rationale.md and a place here",
	},
	{
		Packages: []string{"./cmd/..."},
		May:      []string{"./helioai/...", "./sandbox"},
		Because:  "a command is its main function (and sandbox.Init, which must come first in it); what it does has a package that others can import and tests can reach",
	},
	{
		Packages: []string{"./examples/..."},
		May:      []string{"./..."},
		Because:  "an example shows what this repository does, without help from others",
	},
	{
		Packages: []string{"./internal/mockllm"},
		May:      []string{"./internal/testdata"},
		Because:  "it runs a server that others wrote; what is asked of it is a test's business",
	},
	{
		Packages: []string{"./internal/wiretest"},
		May:      []string{"./internal/mockllm", "./llm", "./provider/..."},
		Because:  "it brings every provider to the mock server, for the tests of whoever uses them",
	},
	{
		Packages: []string{"./internal/..."},
		Modules:  []string{"golang.org/x/sys"},
		Because:  "internal packages are leaves that any layer may lean on",
	},
}

// Forbidden are edges that a look at direct imports would miss.
var Forbidden = []Edge{
	{
		From:    []string{"./llm/...", "./tool/...", "./agent/...", "./preset/...", "./fault/...", "./prompt/...", "./provider/...", "./workspace/...", "./secret/...", "./sandbox/...", "./embedding/...", "./store/...", "./trace/...", "./serve/...", "./mcp/...", "./internal/..."},
		To:      []string{"./helio/...", "./helioai/..."},
		Because: "the framework is for assistants of every kind, heliophysics is one of them",
	},
	{
		From:    []string{"./helio/..."},
		To:      []string{"./llm/...", "./tool/...", "./agent/...", "./sandbox/...", "./provider/...", "./serve/...", "./mcp/...", "./helioai/..."},
		Because: "helio is for Go programs with no model in sight",
	},
	{
		From:    []string{"./llm", "./tool", "./agent", "./secret", "./fault"},
		To:      []string{"database/sql", "net/http", "os/exec"},
		Because: "the loop does no input or output of its own; what does is handed to it, and a program pays only for what it hands over",
	},
	{
		From:    []string{"./helioai/tools/...", "./helioai/search/...", "./helioai/ledger/...", "./helioai/check/...", "./helioai/recipes/...", "./helioai/skills/...", "./helioai/notebook/...", "./helioai/offline/...", "./helioai/demo/..."},
		To:      []string{"./provider/...", "./serve/...", "./mcp/..."},
		Because: "which model answers and how it is reached is decided in one place, at the top",
	},
	{
		From:    []string{"./..."},
		To:      []string{"testing", "net/http/httptest"},
		Except:  append([]string{"./examples/..."}, TestHelpers...),
		Because: "it would put the flags and the weight of a test binary into every program",
	},
}

// Owners are the packages that what is heavy, or dangerous, is for.
var Owners = []Owner{
	{"os/exec", []string{"./sandbox/...", "./tool/command", "./internal/repocheck", "./internal/mockllm"}, "a process that is started elsewhere is a process that nobody confines"},
	{"modernc.org/sqlite", []string{"./store/sqlite"}, "a driver and its 6 MB come only with the store that needs it"},
	{"github.com/jackc/pgx/v5", []string{"./store/postgres/..."}, "a fleet's driver comes only with the fleet's store"},
	{"github.com/riverqueue/river", []string{"./store/postgres/..."}, "a fleet's job engine comes only with the fleet's store"},
	{"github.com/dop251/goja", []string{"./sandbox/js/..."}, "an interpreter belongs into the process that is confined, and nowhere else"},
	{"github.com/elastic/go-seccomp-bpf", []string{"./sandbox/..."}, "one place builds system-call filters"},
	{"github.com/landlock-lsm/go-landlock", []string{"./sandbox/..."}, "one place restricts this process"},
	{"kernel.org/pub/linux/libs/security/libcap/psx", []string{"./sandbox/..."}, "one place gives up this process's rights"},
	{"golang.org/x/net", []string{"./sandbox/..."}, "its bpf package assembles the sandbox's filter; for HTTP the standard library does"},
	{"go.opentelemetry.io/otel", []string{"./trace/otel"}, "who exports no spans does not pay for the exporter"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"./mcp/..."}, "no other package has its types in reach"},
	{"github.com/yalue/onnxruntime_go", []string{"./embedding/..."}, "a native runtime is opted into"},
	{"github.com/sugarme/tokenizer", []string{"./embedding/..."}, "only the local embedding model needs it"},
	{"gonum.org/v1/plot", []string{"./helio/plot"}, "plotting is the heaviest part of numerics"},
	{"github.com/sbinet/npyio", []string{"./helio/series"}, "one way to write numpy's files"},
	{"github.com/spf13/cobra", []string{"./helioai/ui/..."}, "the command line is a face of the assistant, not the assistant"},
	{"charm.land/lipgloss/v2", []string{"./helioai/ui/..."}, "colours belong to a terminal"},
	{"golang.org/x/term", []string{"./helioai/ui/..."}, "only a terminal has a width"},
	{"charm.land/glamour/v2", []string{"./helioai/ui/..."}, "rendered Markdown belongs to a terminal"},
	{"golang.org/x/term", []string{"./helioai/ui/..."}, "only there is a terminal whose width matters"},
	{"github.com/rogpeppe/go-internal", nil, "it runs test scripts"},
	{"go.uber.org/goleak", nil, "it looks for leaks at the end of tests"},
	{"pgregory.net/rapid", nil, "it generates inputs for tests"},
	{"github.com/chromedp/chromedp", nil, "it drives a browser for tests"},
}

// TestHelpers are packages for tests, of this repository or of its users.
var TestHelpers = []string{"./llm/llmtest", "./agent/agenttest", "./prompt/prompttest", "./helio/cdf/cdftest", "./helio/hapi/hapitest", "./internal/testdata", "./internal/swaptest", "./internal/repocheck", "./internal/mockllm", "./internal/wiretest",
	"./sandbox/repl/repltest", "./sandbox/internal/conformance"}

// Generators are programs that write committed files, and examples, which need a
// model without a key: they may use test helpers for it.
var Generators = []string{"./helioai/demo/generate", "./examples/..."}
