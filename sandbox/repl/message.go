package repl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// hostMessage is what the host says.
//
//	start      functions, inputs, options, frame (bytes that the host takes in one frame)
//	execute    id, code, bindings
//	answer     id of a call, result or error
//	interrupt  id of a cell
//	stop       id of a cell
type hostMessage struct {
	Type      string                     `json:"type"`
	ID        uint64                     `json:"id,omitempty"`
	Functions []Function                 `json:"functions,omitempty"`
	Inputs    map[string]json.RawMessage `json:"inputs,omitempty"`
	Options   json.RawMessage            `json:"options,omitempty"`
	Frame     int                        `json:"frame,omitempty"`
	Code      string                     `json:"code,omitempty"`
	Bindings  *BindingLimits             `json:"bindings,omitempty"`
	Result    json.RawMessage            `json:"result,omitempty"`
	Error     *string                    `json:"error,omitempty"`
}

// workerMessage is what the interpreter says, or a program in its name.
//
//	ready   error when the start failed
//	call    id counting from 1, name, args
//	result  id of the cell, exit, bindings
type workerMessage struct {
	Type     string          `json:"type"`
	ID       uint64          `json:"id,omitempty"`
	Error    string          `json:"error,omitempty"`
	Name     string          `json:"name,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
	Exit     int             `json:"exit,omitempty"`
	Bindings []Binding       `json:"bindings,omitempty"`
}

// encode makes a frame of m. Characters stay as they are, so that no escape
// hides them from whoever looks for a secret.
func encode(m any) ([]byte, error) {
	var buf bytes.Buffer
	buf.Write([]byte{0, 0, 0, 0})
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return nil, err
	}
	data := bytes.TrimSuffix(buf.Bytes()[4:], []byte("\n"))
	if len(data) > maxHostFrame {
		return nil, fmt.Errorf("it is %d bytes of JSON, over the limit of %d", len(data), maxHostFrame)
	}
	return appendFrame(buf.Bytes()[:0], data), nil
}

// decode takes one JSON object with the known members only.
func decode(frame []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(frame))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("frame does not follow the protocol: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("frame holds more than one JSON value")
	}
	return nil
}

// decodeWorker decodes and checks what can be checked without knowing the state.
func decodeWorker(frame []byte) (*workerMessage, error) {
	var m workerMessage
	if err := decode(frame, &m); err != nil {
		return nil, err
	}
	switch m.Type {
	case "ready":
		if m.ID != 0 || m.Name != "" || m.Args != nil || m.Bindings != nil || m.Exit != 0 {
			return nil, errors.New("ready frame has members that it cannot have")
		}
	case "call":
		if m.ID == 0 || m.Name == "" || m.Error != "" || m.Bindings != nil || m.Exit != 0 {
			return nil, errors.New("call frame lacks id or name, or has members that it cannot have")
		}
	case "result":
		if m.ID == 0 || m.Name != "" || m.Args != nil || m.Error != "" {
			return nil, errors.New("result frame lacks its id, or has members that it cannot have")
		}
		if m.Exit < 0 || m.Exit > 255 {
			return nil, fmt.Errorf("result frame has exit code %d", m.Exit)
		}
	default:
		return nil, fmt.Errorf("frame type %q is unknown", m.Type)
	}
	return &m, nil
}
