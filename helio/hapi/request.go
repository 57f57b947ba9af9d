package hapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/internal/polite"
)

// A field of a request.
type field struct{ name, value string }

// encode writes fields in their order. Blanks become %20, since not every server
// reads a plus sign as one; what is harmless stays readable.
func encode(fields []field) string {
	var b strings.Builder
	for _, f := range fields {
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(f.name + "=" + f.value)
	}
	return b.String()
}

func escape(text string) string {
	text = strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	return strings.NewReplacer("%3A", ":", "%2F", "/").Replace(text)
}

// query escapes the values of fields.
func query(fields []field) string {
	escaped := make([]field, len(fields))
	for i, f := range fields {
		escaped[i] = field{f.name, escape(f.value)}
	}
	return encode(escaped)
}

// get sends a GET to an endpoint. What the server refuses is an [*Error].
func (c *Client) get(ctx context.Context, endpoint, query string, header http.Header) (*http.Response, error) {
	resp, err := c.http.Get(ctx, c.address(endpoint, query), header)
	if err != nil {
		return nil, c.refusal(err)
	}
	if status, ok := reasonStatus(resp.Status); ok && status.Code >= UserError {
		resp.Body.Close()
		return nil, &Error{Status: status, Host: c.host, HTTP: resp.StatusCode}
	}
	return resp, nil
}

func (c *Client) address(endpoint, query string) string {
	if query == "" {
		return c.base + "/" + endpoint
	}
	return c.base + "/" + endpoint + "?" + query
}

// refusal finds the code of HAPI in what HTTP makes of it: in the body, else in the
// status line.
func (c *Client) refusal(err error) error {
	said, ok := errors.AsType[*polite.StatusError](err)
	if !ok {
		return err
	}
	status, found := bodyStatus(said.Body)
	if !found {
		status, found = reasonStatus(said.Reason)
	}
	if !found {
		return err
	}
	return &Error{Status: status, Host: c.host, HTTP: said.Code}
}

// bodyStatus finds the status in an answer that is a JSON object.
func bodyStatus(body []byte) (Status, bool) {
	var w struct {
		Status struct{ Code, Message loose }
	}
	if json.Unmarshal(body, &w) != nil || w.Status.Code.int() == 0 {
		return Status{}, false
	}
	return tidy(Status{Code: w.Status.Code.int(), Message: w.Status.Message.text()}), true
}

var (
	codeInReason  = regexp.MustCompile(`\b(1[245]\d\d)\b[\s:;,-]*(.*)`)
	codeInMessage = regexp.MustCompile(`^\W*(?:HAPI)?\W*(?:error|status)?\W*(?:1[245]\d\d)\b[\s:;,-]*`)
)

// reasonStatus finds the code in what a status line says, as in "404 HAPI error
// 1406: unknown dataset".
func reasonStatus(reason string) (Status, bool) {
	m := codeInReason.FindStringSubmatch(reason)
	if m == nil {
		return Status{}, false
	}
	code, err := strconv.Atoi(m[1])
	if err != nil {
		return Status{}, false
	}
	return tidy(Status{Code: code, Message: m[2]}), true
}

// tidy makes one line of a message, without the code that stands beside it.
func tidy(s Status) Status {
	const most = 300
	text := strings.Join(strings.Fields(strings.ToValidUTF8(s.Message, "�")), " ")
	text = codeInMessage.ReplaceAllString(text, "")
	if text == "" {
		text = meanings[s.Code]
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	s.Message = strings.TrimRight(text, ". ")
	return s
}

// meanings are the words of the specification for those who leave them out.
var meanings = map[int]string{
	OK: "OK", NoData: "no data in the interval", UserError: "user input error", UnknownRequestField: "unknown request field",
	BadStart: "error in start", BadStop: "error in stop", StartNotBeforeStop: "start equal to or after stop",
	TimeOutsideRange: "time outside the valid range", UnknownDataset: "unknown dataset", UnknownParameter: "unknown parameter",
	TooMuchData: "too much time or data requested", UnsupportedFormat: "unsupported format", UnsupportedInclude: "unsupported include value",
	ParametersOutOfOrder: "parameters out of order or duplicate", UnsupportedReferences: "unsupported resolve_references value",
	UnsupportedDepth: "unsupported depth", InternalError: "internal server error", UpstreamError: "error of the source behind the server",
}

// isCode reports whether an error is a refusal with that code.
func isCode(err error, code int) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Status.Code == code
}
