package preset

import (
	"slices"
	"strings"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool/files"
	"github.com/helios-go/helios/tool/memory"
	"github.com/helios-go/helios/workspace"
)

// Options go with the presets that have files. Nil and the zero value are the
// defaults.
type Options struct {
	// Secrets are kept out of all that tools show, and of the log.
	Secrets *secret.Registry
	// Files says how much is shown, what is hidden, and which further trees can be
	// read. Its Secrets are those above, unless they are set.
	Files *files.Options
	// Memory says where the notes are kept, and how much.
	Memory *memory.Options
}

// Minimal is an agent without tools.
func Minimal(m llm.Model) agent.Agent {
	return agent.Agent{Name: "minimal", Model: m, Instructions: "You answer questions. Say so when you do not know."}
}

// ReadOnly is an agent that finds and reads the files of a workspace, with Read,
// Glob, Grep and LS. Its mode is agent.ModePlan: a tool that is added to it and
// changes something is denied until the policy is changed too. Who opened root
// closes it.
func ReadOnly(m llm.Model, root *workspace.Root, opts *Options) agent.Agent {
	return agent.Agent{
		Name: "read-only", Model: m, Secrets: opts.secrets(),
		Instructions: "You answer questions about the files of a folder. " + inFolder + " You cannot change anything.",
		Tools:        opts.files(root).ReadOnly(),
		Policy:       agent.Permissions{Mode: agent.ModePlan},
	}
}

// Workspace is an agent that works on the files of a workspace: it reads and searches
// freely, keeps notes in .agent/memory of the workspace with MemoryRead and
// MemoryWrite, and asks before each Write and Edit. Without an approver those are
// denied; with agent.ModeAcceptEdits as the mode of its policy they are allowed. The
// file tools do not see .agent. Who opened root closes it.
func Workspace(m llm.Model, root *workspace.Root, opts *Options) agent.Agent {
	var notes memory.Options
	if opts != nil && opts.Memory != nil {
		notes = *opts.Memory
	}
	if notes.Secrets == nil {
		notes.Secrets = opts.secrets()
	}
	return agent.Agent{
		Name: "workspace", Model: m, Secrets: opts.secrets(),
		Instructions: "You work on the files of a folder. " + inFolder + " Read a file before you change it, and change no more than the task needs. " +
			"Keep in memory what will be worth knowing in later conversations, and look there first.",
		Tools: slices.Concat(opts.files(root).All(), memory.Tools(root, &notes)),
		Policy: agent.Permissions{Allow: []agent.Rule{
			{Tool: "MemoryRead", Key: "/memories/**"}, {Tool: "MemoryWrite", Key: "/memories/**"},
		}},
	}
}

const inFolder = "Paths are relative to it. Search before you read, and read before you answer; name the files and lines that your answer rests on."

func (o *Options) secrets() *secret.Registry {
	if o == nil {
		return nil
	}
	return o.Secrets
}

func (o *Options) files(root *workspace.Root) *files.Files {
	var opts files.Options
	if o != nil && o.Files != nil {
		opts = *o.Files
	}
	if opts.Secrets == nil {
		opts.Secrets = o.secrets()
	}
	hide := opts.Hide
	opts.Hide = func(path string) bool {
		return path == agentDir || strings.HasPrefix(path, agentDir+"/") || hide != nil && hide(path)
	}
	return files.New(root, &opts)
}

// agentDir is where the notes are kept, whosever they are: they are for the tools
// that keep them, and for no others.
const agentDir = ".agent"
