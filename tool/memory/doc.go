// Package memory gives a model notes that outlive its session.
//
//	ws, err := workspace.Open("/srv/agent", nil)
//	...
//	a := agent.Agent{Model: model, Tools: memory.Tools(ws, &memory.Options{Scope: memory.PerUser})}
//
// MemoryRead shows and lists notes, MemoryWrite makes, changes and removes them.
// A note is a text file with a path such as /memories/projects/ada.md, which is
// also its permission key. The files are in .agent/memory of a [workspace.Root],
// so nothing that a model writes as a path leads out of there: no link is
// followed, new files are for their owner alone (0600, folders 0700), and a note
// is replaced as a whole or not at all. Notes are UTF-8, and their size and
// number are bounded.
//
// With a scope, one store serves several users or agents, and none can see, name
// or guess the notes of another through these tools. File tools over the same
// workspace would see all of them: give each user a workspace then, or rules that
// deny .agent/**.
package memory
