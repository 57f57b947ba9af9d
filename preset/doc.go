// Package preset has agents that are put together already: what most programs begin
// with, as plain values to copy and change.
//
//	ws, err := workspace.Open("/srv/projects/ada", nil)
//	...
//	defer ws.Close()
//	a := preset.Workspace(model, ws, nil) // reads freely, asks before it writes
//	a.Limits.Money = 2 * llm.Dollar
//	s, err := a.Open(ctx, &agent.OpenOptions{Store: store, Approver: approver})
//
// From the least to the most: [Minimal] has no tools, [ReadOnly] looks at files and
// changes nothing, [Workspace] also writes and keeps notes, [CodeAct] writes code
// that works on a typed input and answers with a typed output, and with a sub-model
// that code can have it read what is too long for one request.
//
// Each preset's policy is part of the value: read it there, tighten it, or replace
// it. None of them runs a program of the host or reaches a network.
package preset
