package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/helios-go/helios/internal/httpx"
	"github.com/helios-go/helios/llm"
)

// A Problem is what a server says went wrong. Any field may be empty.
type Problem struct {
	Code, Type, Status string // names of errors: "rate_limit_exceeded", "overloaded_error", "UNAVAILABLE"
	Message            string
}

// ParseProblem reads the body of an error, or an event that is one, in the forms
// that servers have: {"error":{"message","type","code"}}, {"error":"text"},
// {"message"}, {"detail"}. What is no JSON is the message itself.
func ParseProblem(body []byte) Problem {
	var in struct {
		Error   json.RawMessage `json:"error"`
		Message text            `json:"message"`
		Detail  text            `json:"detail"`
		Code    text            `json:"code"`
		Type    text            `json:"type"`
		Object  text            `json:"object"`
	}
	trimmed := bytes.TrimSpace(body)
	if bytes.HasPrefix(trimmed, []byte("[")) { // Google's list of one
		var list []json.RawMessage
		if json.Unmarshal(trimmed, &list) == nil && len(list) > 0 {
			trimmed = list[0]
		}
	}
	if json.Unmarshal(trimmed, &in) != nil {
		return Problem{Message: strings.TrimSpace(string(body))}
	}
	p := Problem{Code: string(in.Code), Type: string(in.Type), Message: first(string(in.Message), string(in.Detail))}
	if len(in.Error) == 0 {
		if p.Message == "" {
			p.Message = strings.TrimSpace(string(body))
		}
		return p
	}
	var inner struct {
		Message  text `json:"message"`
		Type     text `json:"type"`
		Code     text `json:"code"`
		Status   text `json:"status"`
		Metadata struct {
			Raw text `json:"raw"`
		} `json:"metadata"`
		Failed text `json:"failed_generation"`
	}
	if json.Unmarshal(in.Error, &inner) != nil {
		var said string
		if json.Unmarshal(in.Error, &said) != nil {
			said = string(in.Error)
		}
		p.Message = first(said, p.Message)
		return p
	}
	p.Code, p.Status = string(inner.Code), string(inner.Status)
	p.Type = first(string(inner.Type), p.Type)
	p.Message = first(string(inner.Message), p.Message)
	if inner.Metadata.Raw != "" {
		p.Message += " (" + string(inner.Metadata.Raw) + ")"
	}
	if inner.Failed != "" {
		p.Message += " (the model wrote: " + string(inner.Failed) + ")"
	}
	return p
}

// A text is a JSON string, or a number or anything else as it is written: codes
// come as both.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	switch {
	case string(data) == "null":
	case json.Unmarshal(data, &s) == nil:
		*t = text(s)
	default:
		*t = text(data)
	}
	return nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// Refused is the error of an answer whose status is not 200, with what the server
// says of it and the setting to change. It closes the body.
func (c *Conn) Refused(resp *http.Response) error {
	body := httpx.ErrorBody(resp)
	p := ParseProblem([]byte(body))
	e := c.Fail(resp.StatusCode, &p)
	e.RetryAfter, _ = httpx.RetryAfter(resp.Header, time.Now())
	switch resp.Header.Get("X-Should-Retry") {
	case "true":
		e.Kind = llm.KindTransient
	case "false":
		if e.Kind == llm.KindTransient {
			e.Kind = llm.KindOther
		}
	}
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		host := "somewhere else"
		if u, err := url.Parse(to); err == nil && u.Host != "" {
			host = u.Host
		}
		e.Kind, e.Err = llm.KindInvalidRequest, fmt.Errorf("the server sends requests on to %s, where no key goes by itself", host)
		e.Hint = "change Options.BaseURL"
	}
	return e
}

// Fail is the error that a server reports: with an HTTP status, or in a stream
// with status 0 or 200.
func (c *Conn) Fail(status int, p *Problem) *llm.Error {
	e := &llm.Error{Provider: c.s.Provider, Status: status, Kind: c.kind(status, p)}
	said := c.Scrub(p.Message)
	if said == "" {
		said = first(p.Code, p.Type, p.Status, http.StatusText(status), "no reason given")
	}
	switch {
	case status == http.StatusNotFound || p.Code == "model_not_found":
		e.Hint = fmt.Sprintf("check the model (%s) and Options.BaseURL", c.s.Model)
	case e.Kind == llm.KindAuth && c.s.Key == "":
		e.Hint = c.keyHint()
	case e.Kind == llm.KindAuth && c.s.KeyVar != "":
		e.Hint = "check " + c.s.KeyVar + " or Options.Key"
	case e.Kind == llm.KindAuth:
		e.Hint = "check Options.Key"
	}
	e.Err = errors.New(said)
	return e
}

// kind sorts an error by the provider's name for it, then by what it says, then by
// its status.
func (c *Conn) kind(status int, p *Problem) llm.ErrorKind {
	for _, name := range [...]string{p.Code, p.Type, p.Status} {
		if kind, ok := c.s.Kinds[name]; ok && name != "" {
			if kind == llm.KindInvalidRequest && TooLong(p.Message) {
				return llm.KindContextTooLong
			}
			return kind
		}
	}
	if (status == 0 || status/100 == 2 || status == 400 || status == 413 || status == 422 || status == 500) && TooLong(p.Message) {
		return llm.KindContextTooLong
	}
	switch {
	case status == http.StatusConflict:
		return llm.KindTransient
	case status/100 == 2 || status == 0: // in a stream
		return codeKind(p)
	}
	return llm.KindOfStatus(status)
}

// codeKind sorts an error in a stream by the HTTP status that stands in its code,
// as OpenRouter and llama.cpp write it.
func codeKind(p *Problem) llm.ErrorKind {
	var status int
	if n, err := fmt.Sscanf(p.Code, "%d", &status); n == 1 && err == nil && status >= 100 && status < 600 {
		return llm.KindOfStatus(status)
	}
	return llm.KindOther
}

// longSayings are what servers say of a prompt that does not fit: Anthropic, OpenAI
// and its likes, vLLM, llama.cpp, Gemini, Groq, Mistral, Ollama.
var longSayings = [...]string{
	"prompt is too long", "context_length_exceeded", "maximum context length", "context length of",
	"exceed_context_size", "exceeds the available context size", "exceeds the context window", "exceeds the maximum number of tokens",
	"input token count exceeds", "input is too long", "context window exceeds", "reduce the length of the messages",
	"too large for model", "exceed context limit", "exceeds the context length", "exceeds context length", "input length exceeds",
}

// TooLong reports whether a server's words are about a prompt that does not fit
// the model's window.
func TooLong(message string) bool {
	low := strings.ToLower(message)
	for _, s := range longSayings {
		if strings.Contains(low, s) {
			return true
		}
	}
	return false
}
