package compat

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/wire"
)

// kinds sorts the names that servers have for errors, where the status does not say
// it, or says it wrong.
var kinds = map[string]llm.ErrorKind{
	"rate_limit_exceeded": llm.KindTransient, "rate_limit_error": llm.KindTransient, "rate_limited": llm.KindTransient,
	"server_error": llm.KindTransient, "overloaded": llm.KindTransient, "overloaded_error": llm.KindTransient,
	"unavailable_error": llm.KindTransient, "service_unavailable": llm.KindTransient, "timeout": llm.KindTransient,
	"internal_server_error": llm.KindTransient, "InternalServerError": llm.KindTransient,
	// A finish_reason that is one.
	"error": llm.KindTransient, "abort": llm.KindTransient, "network_error": llm.KindTransient, "insufficient_system_resource": llm.KindTransient,
	// The model wrote a call or an answer that the server could not read; it may
	// do better next time (console.groq.com/docs/tool-use).
	"tool_use_failed": llm.KindTransient, "json_validate_failed": llm.KindTransient,

	"context_length_exceeded": llm.KindContextTooLong, "exceed_context_size_error": llm.KindContextTooLong,

	"content_filter": llm.KindRefused, "content_policy_violation": llm.KindRefused, "ResponsibleAIPolicyViolation": llm.KindRefused,

	"insufficient_quota": llm.KindAuth, "invalid_api_key": llm.KindAuth, "authentication_error": llm.KindAuth,
	"permission_error": llm.KindAuth, "billing_not_active": llm.KindAuth,

	"model_not_found": llm.KindInvalidRequest, "DeploymentNotFound": llm.KindInvalidRequest,
}

// failed is the error of a stream that the server gives up on.
func (m *Model) failed(p *wire.Problem) error { return m.explain(m.conn.Fail(0, p)) }

// explain adds what only the dialect knows of an error, and what to do about it.
func (m *Model) explain(err error) error {
	var e *llm.Error
	if !errors.As(err, &e) || e.Err == nil {
		return err
	}
	said := e.Err.Error()
	switch {
	case e.Status == http.StatusPaymentRequired:
		e.Kind = llm.KindAuth
		e.Err = fmt.Errorf("%w; add credit to the account of %s", e.Err, m.d.keyName())
	case e.Status == http.StatusForbidden && strings.Contains(said, "moderation"):
		e.Kind = llm.KindRefused
	case m.d.Name == ollama.Name && e.Status == http.StatusNotFound:
		e.Err = fmt.Errorf("this Ollama has no model %q; get it with `ollama pull %s`, or set another", m.id, m.id)
	case m.d.Name == ollama.Name && strings.Contains(said, "does not support tools"):
		e.Kind = llm.KindInvalidRequest
		e.Err = fmt.Errorf("%w; use a model that does, see `ollama show %s`", e.Err, m.id)
	case strings.Contains(said, "tools param requires --jinja"):
		e.Kind = llm.KindInvalidRequest
		e.Err = fmt.Errorf("%w; start llama-server with --jinja", e.Err)
	case strings.Contains(said, "enable-auto-tool-choice"):
		e.Err = fmt.Errorf("%w; start vllm serve with them", e.Err)
	case e.Status == http.StatusRequestEntityTooLarge && strings.Contains(said, "tokens per minute"):
		e.Kind = llm.KindContextTooLong // Groq: no waiting makes this request fit
	}
	return e
}

func (d *Dialect) keyName() string {
	if d.KeyVar == "" {
		return "Options.Key"
	}
	return d.KeyVar
}
