package llm

import (
	"errors"
	"fmt"
	"time"
)

// What went wrong, for errors.Is. An [*Error] matches the sentinel of its Kind.
var (
	// ErrTransient marks failures that a repeat may cure: overload, rate limits,
	// broken connections, silence.
	ErrTransient = errors.New("transient failure")
	// ErrContextTooLong marks a request that does not fit the model's window.
	ErrContextTooLong = errors.New("context too long")
	// ErrRefused marks an answer that the provider or the model declined to give.
	ErrRefused = errors.New("refused")
	// ErrAuth marks a missing, wrong or powerless key.
	ErrAuth = errors.New("not authorised")
	// ErrInvalidRequest marks a request that will fail however often it is sent.
	ErrInvalidRequest = errors.New("invalid request")
)

// ErrorKind sorts the failures of models. The zero value is KindOther, which
// is never retried.
type ErrorKind uint8

// The kinds of an [Error].
const (
	KindOther          ErrorKind = iota
	KindTransient                // ErrTransient
	KindContextTooLong           // ErrContextTooLong
	KindRefused                  // ErrRefused
	KindAuth                     // ErrAuth
	KindInvalidRequest           // ErrInvalidRequest
)

var kindErrors = [...]error{
	KindTransient:      ErrTransient,
	KindContextTooLong: ErrContextTooLong,
	KindRefused:        ErrRefused,
	KindAuth:           ErrAuth,
	KindInvalidRequest: ErrInvalidRequest,
}

// An Error is a failure that a provider reports or that its wire suffers.
type Error struct {
	Kind       ErrorKind
	Provider   string        // "anthropic"; may be empty
	Status     int           // HTTP status; 0 when there was no answer
	RetryAfter time.Duration // what the provider asked to wait; 0: nothing asked
	Err        error         // the cause; never nil in errors made here
	Hint       string        // which setting of the program to change; may be empty
}

// Error names the provider, the status, the cause, and what to change.
func (e *Error) Error() string {
	s := "model"
	if e.Provider != "" {
		s = e.Provider
	}
	if e.Status != 0 {
		s += fmt.Sprintf(": HTTP %d", e.Status)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	} else {
		s += ": " + e.Kind.String()
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the sentinel of e's kind.
func (e *Error) Is(target error) bool {
	return int(e.Kind) < len(kindErrors) && kindErrors[e.Kind] != nil && kindErrors[e.Kind] == target
}

// Retryable reports whether sending the same request again may help.
func (e *Error) Retryable() bool { return e.Kind == KindTransient }

// KindOfStatus sorts an HTTP status for providers that say no more: no answer at
// all (0), 408, 429 and 500 and above (529 is a provider's overload) are
// transient, 401 and 403 a matter of the key, 413 a request that has to become
// shorter, any other 4xx an invalid one. The rest is KindOther.
func KindOfStatus(status int) ErrorKind {
	switch {
	case status == 0, status == 408, status == 429, status >= 500:
		return KindTransient
	case status == 401, status == 403:
		return KindAuth
	case status == 413:
		return KindContextTooLong
	case status >= 400:
		return KindInvalidRequest
	}
	return KindOther
}

// String names the kind as its sentinel does.
func (k ErrorKind) String() string {
	if int(k) < len(kindErrors) && kindErrors[k] != nil {
		return kindErrors[k].Error()
	}
	return "failure"
}
