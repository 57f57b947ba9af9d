package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/helios-go/helios/prompt"
)

// Prompts is a [prompt.Registry] in the file of a [Store]. It is safe for
// concurrent use, and by several processes.
type Prompts struct{ s *Store }

var _ prompt.Registry = (*Prompts)(nil)

// Prompts returns the prompts that are kept beside the sessions. They end with
// the store.
func (s *Store) Prompts() *Prompts { return &Prompts{s} }

// Register implements [prompt.Registry].
func (r *Prompts) Register(ctx context.Context, name, content string) (prompt.Prompt, error) {
	return r.add(ctx, name, content, true)
}

// Draft implements [prompt.Registry].
func (r *Prompts) Draft(ctx context.Context, name, content string) (prompt.Prompt, error) {
	return r.add(ctx, name, content, false)
}

func (r *Prompts) add(ctx context.Context, name, content string, active bool) (prompt.Prompt, error) {
	if err := prompt.Check(name, content); err != nil {
		return prompt.Prompt{}, err
	}
	p := prompt.Prompt{Name: name, Content: content, Active: active}
	err := r.s.w.write(ctx, func(c *conn) error {
		err := c.first(`SELECT coalesce(max(version), 0) + 1 FROM prompts WHERE name = ?`, func(v values) { p.Version = int(v.number(0)) }, name)
		if err != nil {
			return err
		}
		p.Created = time.Now().UTC().Truncate(time.Millisecond)
		const insert = `INSERT INTO prompts (name, version, content, created) VALUES (?, ?, ?, ?)`
		if _, err := c.exec(context.Background(), insert, name, int64(p.Version), content, p.Created.UnixMilli()); err != nil || !active {
			return err
		}
		return activate(c, name, p.Version)
	})
	if err != nil {
		return prompt.Prompt{}, fmt.Errorf("register prompt %q: %w", name, err)
	}
	return p, nil
}

func activate(c *conn, name string, version int) error {
	_, err := c.exec(context.Background(), `UPDATE prompts SET active = 0 WHERE name = ? AND active = 1`, name)
	if err != nil {
		return err
	}
	_, err = c.exec(context.Background(), `UPDATE prompts SET active = 1 WHERE name = ? AND version = ?`, name, int64(version))
	return err
}

const promptColumns = `name, version, content, active, created`

func scanPrompt(v values) prompt.Prompt {
	return prompt.Prompt{
		Name: v.text(0), Version: int(v.number(1)), Content: v.text(2), Active: v.number(3) == 1,
		Created: time.UnixMilli(v.number(4)).UTC(),
	}
}

// Activate implements [prompt.Registry].
func (r *Prompts) Activate(ctx context.Context, name string, version int) (prompt.Prompt, error) {
	var p prompt.Prompt
	err := r.s.w.write(ctx, func(c *conn) error {
		p = prompt.Prompt{}
		err := c.first(`SELECT `+promptColumns+` FROM prompts WHERE name = ? AND version = ?`, func(v values) { p = scanPrompt(v) }, name, int64(version))
		switch {
		case err != nil:
			return err
		case p.Version == 0:
			return &prompt.UnknownError{Name: name, Version: version}
		case p.Active:
			return nil
		}
		p.Active = true
		return activate(c, name, version)
	})
	if err != nil {
		return prompt.Prompt{}, fmt.Errorf("activate prompt: %w", err)
	}
	return p, nil
}

// Resolve implements [prompt.Registry].
func (r *Prompts) Resolve(ctx context.Context, name string) (prompt.Prompt, error) {
	return r.one(ctx, &prompt.UnknownError{Name: name, Active: true}, `name = ? AND active = 1`, name)
}

// Version implements [prompt.Registry].
func (r *Prompts) Version(ctx context.Context, name string, version int) (prompt.Prompt, error) {
	return r.one(ctx, &prompt.UnknownError{Name: name, Version: version}, `name = ? AND version = ?`, name, int64(version))
}

// Versions implements [prompt.Registry].
func (r *Prompts) Versions(ctx context.Context, name string) ([]prompt.Prompt, error) {
	all, err := r.query(ctx, `name = ? ORDER BY version`, name)
	if err != nil {
		return nil, fmt.Errorf("read prompt %q: %w", name, err)
	}
	return all, nil
}

func (r *Prompts) one(ctx context.Context, unknown error, where string, args ...driver.Value) (prompt.Prompt, error) {
	all, err := r.query(ctx, where, args...)
	if err == nil && len(all) == 0 {
		err = unknown
	}
	if err != nil {
		return prompt.Prompt{}, fmt.Errorf("read prompt: %w", err)
	}
	return all[0], nil
}

func (r *Prompts) query(ctx context.Context, where string, args ...driver.Value) ([]prompt.Prompt, error) {
	var all []prompt.Prompt
	err := r.s.r.query(ctx, `SELECT `+promptColumns+` FROM prompts WHERE `+where, args, func(v values) error {
		all = append(all, scanPrompt(v))
		return nil
	})
	return all, err
}
