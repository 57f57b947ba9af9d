package llmtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A tapeReader reads a cassette line by line.
type tapeReader struct {
	head      tapeHead
	exchanges []exchange
	open      bool // the last exchange has no end yet
}

func readTape(r io.Reader) (tapeHead, []exchange, error) {
	t := &tapeReader{}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		data, err := in.ReadBytes('\n')
		if len(data) > 0 {
			if bad := t.line(data, n == 1); bad != nil {
				return t.head, nil, fmt.Errorf("line %d: %w", n, bad)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return t.head, nil, err
		}
	}
	switch {
	case t.head.Version == 0:
		return t.head, nil, errors.New("it is empty")
	case t.open:
		return t.head, nil, errors.New("it ends in the middle of an answer")
	}
	return t.head, t.exchanges, nil
}

func (t *tapeReader) line(data []byte, first bool) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return fmt.Errorf("it is no JSON object: %w", err)
	}
	if len(members) != 1 {
		return fmt.Errorf("it has %d members, and a line of a cassette has 1", len(members))
	}
	for kind, value := range members {
		if (kind == "cassette") != first {
			return errors.New(`a cassette has one line "cassette", and begins with it`)
		}
		if err := t.member(kind, value); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

func (t *tapeReader) member(kind string, value json.RawMessage) error {
	switch kind {
	case "cassette":
		if err := json.Unmarshal(value, &t.head); err != nil {
			return err
		}
		if t.head.Version != tapeVersion {
			return fmt.Errorf("version %d, and %d is known", t.head.Version, tapeVersion)
		}
		return nil
	case "request":
		return t.request(value)
	}
	if !t.open {
		return errors.New("it belongs to no request")
	}
	x := &t.exchanges[len(t.exchanges)-1]
	switch kind {
	case "system", "tool", "output", "settings", "message":
		if len(x.chunks) > 0 {
			return errors.New("it stands behind the answer")
		}
		tree, err := decodeJSON(value)
		if err != nil {
			return err
		}
		x.request = append(x.request, line{kind, tree})
		return nil
	case "chunk":
		var c tapeChunk
		if err := json.Unmarshal(value, &c); err != nil {
			return err
		}
		if _, err := c.chunk(); err != nil {
			return err
		}
		x.chunks = append(x.chunks, c)
		return nil
	case "end":
		t.open = false
		return json.Unmarshal(value, &x.end)
	}
	return errors.New("there is no such line")
}

func (t *tapeReader) request(value json.RawMessage) error {
	if t.open {
		return errors.New("the one before has no end")
	}
	var head tapeRequest
	if err := json.Unmarshal(value, &head); err != nil {
		return err
	}
	var before []line
	if n := len(t.exchanges); n > 0 {
		before = t.exchanges[n-1].request
	}
	if head.Keep < 0 || head.Keep > len(before) {
		return fmt.Errorf("it keeps %d lines of the one before, which has %d", head.Keep, len(before))
	}
	t.exchanges = append(t.exchanges, exchange{request: slices.Clone(before[:head.Keep])})
	t.open = true
	return nil
}
