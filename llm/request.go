package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Validate reports what is wrong with a request that can be told before it is
// sent: an option out of range, a choice of a tool that is not there, two tools
// of one name, a message that does not hold together. The error matches
// [ErrInvalidRequest]. [Generate] calls it; who calls Stream does so once.
//
// Whether calls and results are where they belong is for [CheckConversation].
func (r *Request) Validate() error {
	if err := r.validate(); err != nil {
		return &Error{Kind: KindInvalidRequest, Err: err}
	}
	return nil
}

func (r *Request) validate() error {
	if err := r.Options.Validate(); err != nil {
		return err
	}
	if err := r.Choice.validate(r.Tools); err != nil {
		return err
	}
	for i := range r.Tools {
		for j := range i {
			if r.Tools[j].Name == r.Tools[i].Name {
				return fmt.Errorf("two tools are named %q", r.Tools[i].Name)
			}
		}
	}
	for i := range r.System {
		if err := r.System[i].validate(); err != nil {
			return fmt.Errorf("system part %d: %w", i, err)
		}
	}
	for i := range r.Messages {
		if err := r.Messages[i].Validate(); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

// Validate reports what is wrong with a message by itself: no role, a part whose
// content is not the one that its kind names, a call without a tool's name, media
// without bytes.
func (m *Message) Validate() error {
	switch m.Role {
	case RoleUser, RoleAssistant, RoleTool:
	case "":
		return errors.New("it has no role; make it with llm.User or llm.Assistant")
	default:
		return fmt.Errorf("its role is %q; use user, assistant or tool", string(m.Role))
	}
	for i := range m.Parts {
		if err := m.Parts[i].validate(); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	return nil
}

func (p *Part) validate() error {
	missing := false
	switch p.Kind {
	case PartText, PartThinking:
	case PartCall:
		if missing = p.Call == nil; !missing && strings.TrimSpace(p.Call.Name) == "" {
			return errors.New("a call of a tool without a name")
		}
	case PartResult:
		missing = p.Result == nil
	case PartMedia:
		if missing = p.Media == nil; !missing {
			return p.Media.validate()
		}
	case PartFile:
		if missing = p.File == nil; !missing {
			return p.File.validate()
		}
	case PartOpaque:
		if missing = p.Opaque == nil; !missing && !json.Valid(p.Opaque.Data) {
			return fmt.Errorf("the block of %s is not valid JSON", p.Opaque.Provider)
		}
	default:
		return fmt.Errorf("its kind is %q, which there is not", string(p.Kind))
	}
	if missing {
		return fmt.Errorf("a %s without its content", p.Kind)
	}
	if p.Kind != PartOpaque && p.Opaque != nil && !json.Valid(p.Opaque.Data) {
		return fmt.Errorf("what %s said besides is not valid JSON", p.Opaque.Provider)
	}
	return nil
}
