package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/helios-go/helios/helioai/wording"
	"github.com/helios-go/helios/internal/httpx"
	"github.com/helios-go/helios/llm"
)

// word makes one sentence of an error of the model, with the setting to change.
// What ended the context stays as it is.
func (m *model) word(ctx context.Context, err error) error {
	var e *llm.Error
	if ctx.Err() != nil || !errors.As(err, &e) {
		return err
	}
	a := m.access
	said := spoken(e.Err)
	unreached, isNet := errors.AsType[*httpx.Error](err)
	isNet = isNet && e.Status == 0 && !strings.HasPrefix(said, brokeOff)
	switch {
	case isNet && nobody(err) && !m.answered.Load():
		// Nobody listens there: a repeat in a second or two would not find more.
		return &Error{Text: a.unreached(unreached), Err: &llm.Error{Provider: e.Provider, Err: e.Err}}
	case isNet:
		return &Error{Text: a.unreached(unreached), Err: e}
	case m.isUnknown(e, said):
		return &Error{Text: m.unknown(ctx, said), Err: e}
	case e.Status == http.StatusPaymentRequired || paid(said):
		return &Error{Text: fmt.Sprintf("%s: %s; add credit to the account, or choose another provider", a.Title, said), Err: e}
	case errors.Is(e, llm.ErrAuth):
		return &Error{Text: a.unauthorised(e.Status, said), Err: e}
	case e.Status == http.StatusNotFound:
		text := fmt.Sprintf("nothing of %s answers at %s (%s); check %s", a.Title, a.where(), said, a.setting())
		if a.Name == "openai" && a.urlVar != "" {
			text += ", or take --provider " + Server + " where only chat completions are spoken"
		}
		return &Error{Text: text, Err: e}
	case e.Status == http.StatusTooManyRequests:
		return &Error{Text: fmt.Sprintf("%s allows no more requests for now (%s); choose another model, or try again %s", a.Title, said, later(e.RetryAfter)), Err: e}
	case e.Status >= http.StatusInternalServerError:
		return &Error{Text: fmt.Sprintf("%s could not answer (%s); choose another model, or try again %s", a.Title, said, later(e.RetryAfter)), Err: e}
	case e.Status == 0 && !isNet && errors.Is(e, io.ErrUnexpectedEOF):
		return &Error{Text: a.Title + " broke off before its answer was whole; ask again", Err: e}
	case errors.Is(e, llm.ErrContextTooLong):
		return &Error{Text: fmt.Sprintf("the conversation is longer than %s takes (%s); start a new session, or choose another model", m.id, said), Err: e}
	}
	text := fmt.Sprintf("%s: %s", a.Title, said)
	switch {
	case strings.Contains(e.Hint, "Options.BaseURL"):
		text += "; check " + a.setting()
	case e.Retryable():
		text += "; ask again"
	}
	return &Error{Text: text, Err: e}
}

// spoken is what went wrong, on one line.
func spoken(err error) string {
	if err == nil {
		return "no reason given"
	}
	const most = 300
	return strings.TrimRight(wording.Line(err.Error(), most), ". ")
}

// brokeOff is how the providers begin when an answer had begun.
const brokeOff = "the answer broke off"

// nobody reports whether nobody is there to answer.
func nobody(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound || errors.Is(err, syscall.ECONNREFUSED)
}

func (a *access) unreached(e *httpx.Error) string {
	text := fmt.Sprintf("%s cannot be reached at %s (%s)", a.Title, e.Host, e.Err)
	switch {
	case a.Name == "ollama":
		return text + "; start it with `ollama serve`, or set OLLAMA_HOST"
	case a.urlVar != "":
		return text + "; check " + a.urlVar + " and the network"
	case a.Local:
		return text + "; start it, or set " + a.setting()
	}
	return text + "; check the network, or set " + a.setting() + " to a server that you can reach"
}

func (a *access) unauthorised(status int, said string) string {
	switch {
	case a.keyVar == "" && len(a.Keys) > 0:
		return fmt.Sprintf("%s wants a key (%s); set %s", a.Title, said, orList(a.Keys))
	case status == http.StatusForbidden:
		return fmt.Sprintf("the key in %s may not do this (%s); check what it is allowed to, or choose another model", a.keyVar, said)
	}
	return fmt.Sprintf("%s does not accept the key in %s (%s); set %s to a valid one", a.Title, a.keyVar, said, a.keyVar)
}

// paid reports whether a server speaks of money that is missing.
func paid(said string) bool {
	low := strings.ToLower(said)
	return strings.Contains(low, "insufficient balance") || strings.Contains(low, "exceeded your current quota") || strings.Contains(low, "credit balance")
}

// later says when to ask again. Of a long wait the agent tells by itself.
func later(wait time.Duration) string {
	if wait <= 0 || wait > time.Minute {
		return "later"
	}
	return "in " + wait.Round(time.Second).String()
}

// isUnknown reports whether a server says that it has no such model. They say it
// with 404 or 400, and all of them name the model or the word.
func (m *model) isUnknown(e *llm.Error, said string) bool {
	low := strings.ToLower(said)
	named := m.id != "" && (strings.Contains(said, m.id) || strings.Contains(low, "model") || strings.Contains(low, "deployment"))
	switch e.Status {
	case http.StatusNotFound:
		return named
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		if !named {
			return false
		}
		return slices.ContainsFunc([]string{"not exist", "invalid model", "not found", "valid model", "unknown model", "no such model"},
			func(s string) bool { return strings.Contains(low, s) })
	}
	return false
}

// unknown says which models there are instead: those of the catalogue and those
// that the server lists.
func (m *model) unknown(ctx context.Context, said string) string {
	a := m.access
	known := a.Catalogue().IDs()
	listed, err := a.ids(ctx)
	if err == nil {
		known = append(listed, known...)
	}
	if slices.Contains(listed, m.id) {
		return fmt.Sprintf("%s lists the model %q and does not answer with it (%s); choose another with --model or %s", a.Title, wording.Line(m.id, 80), said, ModelVar)
	}
	text := fmt.Sprintf("%s has no model %q", a.Title, wording.Line(m.id, 80))
	if near := nearest(m.id, known); len(near) > 0 {
		return text + "; did you mean " + strings.Join(near, " or ") + "? Choose with --model or " + ModelVar
	}
	switch a.Name {
	case "azure":
		return text + " (" + said + "); choose one of your deployments with --model or " + a.ModelVars[0]
	case "ollama":
		text += fmt.Sprintf("; get it with `ollama pull %s`, or choose", wording.Line(m.id, 80))
	default:
		text += "; choose"
	}
	if a.Local && len(listed) > 0 {
		return text + " one that it has: " + strings.Join(listed[:min(len(listed), 5)], ", ")
	}
	return text + " another with --model or " + ModelVar + " (helioai models --provider " + a.Name + " lists them)"
}

// nearest are at most three known ids that a wrong one may stand for: one that is
// spelt nearly the same, or those that it is a part of, as in "sonnet".
func nearest(id string, known []string) []string {
	if near := llm.Nearest(id, known); near != "" {
		return []string{near}
	}
	var near []string
	for _, k := range known {
		if len(id) >= 4 && strings.Contains(k, id) && !slices.Contains(near, k) && len(near) < 3 {
			near = append(near, k)
		}
	}
	return near
}
