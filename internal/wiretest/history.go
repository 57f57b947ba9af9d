package wiretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// CheckHistory reports what a provider would refuse in the body of a request on
// a wire: how messages follow each other, which call has which result, the form
// of ids, names and arguments, signatures that are missing, texts that are empty.
// What it holds against a body is what the providers' own documentation and their
// error messages say; it knows nothing of how our requests are made.
func CheckHistory(wire Form, body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("the body is not UTF-8")
	}
	if bytes.Contains(body, []byte("\uFFFD")) || bytes.Contains(body, []byte(`\ufffd`)) {
		return errors.New("the body has a replacement character, so a character was broken on its way")
	}
	switch wire {
	case FormMessages:
		return checkMessages(body)
	case FormResponses:
		return checkResponses(body)
	case FormInteractions:
		return checkInteractions(body)
	case FormChat:
		return checkChat(body)
	}
	return fmt.Errorf("no wire is called %q", wire)
}

var (
	toolName    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	anthropicID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	mistralID   = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
)

// calls keeps the calls of a history and which of them still want a result.
type calls struct {
	elsewhere bool // the server has some that are not here
	seen      map[string]bool
	open      []string
}

// call takes the next call.
func (c *calls) call(id, name string, longest int, args json.RawMessage) error {
	switch {
	case id == "" || len(id) > longest:
		return fmt.Errorf("the call of %s has an id of %d bytes, want 1 to %d", name, len(id), longest)
	case strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r > '~' }):
		return fmt.Errorf("the call id %q has characters that no server gives", id)
	case c.seen[id]:
		return fmt.Errorf("two calls have the id %s", id)
	case !toolName.MatchString(name):
		return fmt.Errorf("the call %s is of a tool %q, whose name no provider takes", id, name)
	}
	if args != nil && !object(args) {
		return fmt.Errorf("the arguments of call %s are no JSON object: %s", id, args)
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[id] = true
	c.open = append(c.open, id)
	return nil
}

// result takes the result of an open call.
func (c *calls) result(id string) error {
	i := slices.Index(c.open, id)
	if i < 0 && c.elsewhere && id != "" {
		return nil
	}
	if i < 0 {
		return fmt.Errorf("a result is of call %q, which does not wait for one", id)
	}
	c.open = slices.Delete(c.open, i, i+1)
	return nil
}

// closed reports a call without its result where there must be none.
func (c *calls) closed(before string) error {
	if len(c.open) > 0 {
		return fmt.Errorf("the calls %s have no result before %s", strings.Join(c.open, ", "), before)
	}
	return nil
}

// checkText refuses a text that is not there.
func checkText(text *string) error {
	if text == nil || *text == "" {
		return errors.New("a text is empty")
	}
	return nil
}

func object(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(data, &fields) == nil && fields != nil
}

// checkTool is what all wires want of a tool.
func checkTool(name string, schema json.RawMessage, names map[string]bool) error {
	var s struct{ Type string }
	switch {
	case !toolName.MatchString(name):
		return fmt.Errorf("no provider takes a tool called %q", name)
	case names[name]:
		return fmt.Errorf("two tools are called %s", name)
	case json.Unmarshal(schema, &s) != nil || s.Type != "object":
		return fmt.Errorf("the schema of %s is not of an object: %s", name, schema)
	}
	names[name] = true
	return nil
}

// at puts the place before an error.
func at(place string, i int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s[%d]: %w", place, i, err)
}
