package compat

import (
	"encoding/json"
	"time"

	"github.com/helios-go/helios/llm"
)

// A Dialect is how one kind of server speaks chat completions: what it differs in
// from the others. The zero value is a server that knows only the oldest form. Take
// one of [Dialects], change the copy, and make models with [Dialect.New]:
//
//	d, _ := compat.Lookup("vllm")
//	d.EchoField = "reasoning_content" // a server of before 2026
//	model := d.New("Qwen/Qwen3-32B", nil)
//
// It says only how to write: reading takes all forms from everybody. It is read
// only once a model was made of it.
type Dialect struct {
	// Name is the first half of the models' names and the key of
	// llm.Options.Provider.
	Name string

	// BaseURL is where it is unless Options.BaseURL says otherwise; "": nowhere by
	// itself. As they are known, Ollama's gives way to OLLAMA_HOST and Azure's to
	// AZURE_OPENAI_ENDPOINT.
	BaseURL   string
	Path      string // behind the base URL, with its query; "" is /chat/completions
	KeyVar    string // the variable with the key
	KeyHeader string // "" is Authorization, with Bearer before the key
	Keyless   bool   // it works without a key
	Free      bool   // what is asked of it on this machine costs nothing
	Hint      string // what to do when it cannot be reached
	// Patience is how long it may be silent unless Options say otherwise: a server on
	// one's own machine loads a model before it sends a header, and reads a long
	// prompt without a word. An agent waits no longer than its Limits.Idle, five minutes
	// by default. 0 is what Options say of their zero values.
	Patience time.Duration

	SystemRole string // of the instructions: "" is system; developer
	MaxTokens  string // the name of the limit: "" is max_tokens; max_completion_tokens
	Seed       string // the name of the seed: "" is seed; random_seed
	Usage      bool   // it counts tokens only when stream_options asks for it

	Thinking Levels // how llm.Options.Thinking is written

	// Echo says which thoughts it wants back, in a member EchoField of the
	// assistant's message. EchoModel sends a thought only to the very model that had
	// it. Details sends OpenRouter's reasoning_details back, always and instead.
	Echo      Echo
	EchoField string
	EchoModel bool
	Details   bool

	Output    Output // what it does about a schema of the answer
	WithTools bool   // Output works beside tools
	Strict    bool   // it knows "strict" of schemas

	// ForceOne: tool_choice may name a function. ForceAny: it may be "required".
	// Where both are false the model is only told to call. DropTools: it may not know
	// tool_choice, so that with ChoiceNone it is given no tools.
	ForceOne, ForceAny, DropTools bool
	Parallel                      bool // it makes several calls at once only when told that it may

	IDs       IDs    // what it takes for the id of a call
	Images    Images // how it takes images
	Files     bool   // it takes documents, as parts of type file
	Audio     bool   // it takes sounds, as parts of type input_audio
	ToolMedia bool   // images may stand in results of tools; else they follow as the user's
	ToolName  bool   // results of tools repeat the tool's name
	Bridge    bool   // it takes no user's message right after results
	Cache     bool   // it knows cache_control of parts
}

// Levels say how [llm.Thinking] is written.
type Levels struct {
	// Field is the member that holds the level's name, as reasoning_effort; a dot
	// goes into an object, as in reasoning.effort. "": levels cannot be told.
	Field string
	// Names are the names of the levels there are; a level that is not among them
	// is an error.
	Names map[llm.Thinking]string
	// Off and On are members that ThinkingNone, and any other level, add.
	Off, On json.RawMessage
}

// Echo says which thoughts go back to the server.
type Echo uint8

// The kinds of [Echo].
const (
	EchoNever Echo = iota
	EchoLoop       // of the tool loop under way: since the last user's message
	EchoTurns      // of all turns in which a tool was called, an empty one where there was none
	EchoAll        // all
)

// Output is what a server does about the schema of an answer.
type Output uint8

// The kinds of [Output]. Where a schema cannot be given, or not beside tools, the
// model gets one tool more, whose arguments are the answer.
const (
	OutputTool   Output = iota // nothing that helps
	OutputObject               // response_format json_object: any JSON object
	OutputSchema               // response_format json_schema
)

// IDs are the ids of calls that a server takes.
type IDs uint8

// The kinds of [IDs]. Others are replaced, those of calls and results alike.
const (
	IDsAny   IDs = iota // up to 64 characters: Kimi's templates want its own functions.name:0 back
	IDsPlain            // up to 40 of [a-zA-Z0-9_-], as OpenAI and those behind OpenRouter have them
	IDsNine             // exactly 9 of [a-zA-Z0-9], as Mistral wants them
)

// Images says how a server takes images. Whether its model sees them is another
// matter: for one that reads texts only, say ImagesNone, and images that tools
// return are left out with a note.
type Images uint8

// The kinds of [Images].
const (
	ImagesNone Images = iota // not at all
	ImagesData               // their bytes only
	ImagesURL                // their bytes, or a URL that it fetches itself
)
