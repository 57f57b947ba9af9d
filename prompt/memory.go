package prompt

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Memory is a [Registry] in this process's memory. The zero value is empty and
// ready. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	names map[string][]Prompt // version i+1 at i
}

var _ Registry = (*Memory)(nil)

// Register implements [Registry].
func (m *Memory) Register(_ context.Context, name, content string) (Prompt, error) {
	return m.add(name, content, true)
}

// Draft implements [Registry].
func (m *Memory) Draft(_ context.Context, name, content string) (Prompt, error) {
	return m.add(name, content, false)
}

func (m *Memory) add(name, content string, active bool) (Prompt, error) {
	if err := Check(name, content); err != nil {
		return Prompt{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.names == nil {
		m.names = map[string][]Prompt{}
	}
	p := Prompt{Name: name, Version: len(m.names[name]) + 1, Content: content, Created: time.Now().UTC().Truncate(time.Millisecond)}
	m.names[name] = append(m.names[name], p)
	if active {
		return m.activate(name, p.Version), nil
	}
	return p, nil
}

// Activate implements [Registry].
func (m *Memory) Activate(_ context.Context, name string, version int) (Prompt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if version < 1 || version > len(m.names[name]) {
		return Prompt{}, &UnknownError{Name: name, Version: version}
	}
	return m.activate(name, version), nil
}

// activate is called with mu held, for a version that there is.
func (m *Memory) activate(name string, version int) Prompt {
	all := m.names[name]
	for i := range all {
		all[i].Active = i == version-1
	}
	return all[version-1]
}

// Resolve implements [Registry].
func (m *Memory) Resolve(_ context.Context, name string) (Prompt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.names[name]
	if i := slices.IndexFunc(all, func(p Prompt) bool { return p.Active }); i >= 0 {
		return all[i], nil
	}
	return Prompt{}, &UnknownError{Name: name, Active: true}
}

// Version implements [Registry].
func (m *Memory) Version(_ context.Context, name string, version int) (Prompt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if version < 1 || version > len(m.names[name]) {
		return Prompt{}, &UnknownError{Name: name, Version: version}
	}
	return m.names[name][version-1], nil
}

// Versions implements [Registry].
func (m *Memory) Versions(_ context.Context, name string) ([]Prompt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.names[name]), nil
}
