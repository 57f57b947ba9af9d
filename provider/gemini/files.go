package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/wire"
)

// Files puts files on Google's server, where a message can refer to them. The
// server removes them by itself after two days. A Files is safe for concurrent use.
type Files struct {
	o    Options
	conn *wire.Conn // for short requests
	bulk *wire.Conn // for pieces of files, which take long to send
	err  error
}

// bulkTimeout is how long a piece may take to be sent and answered.
const bulkTimeout = 10 * time.Minute

// NewFiles returns the files of a key. Of the options it takes those that say how
// the server is reached; with a BaseURL of a proxy's, uploads go through it only if
// the addresses that it hands out are its own. A setting that cannot be used is what
// [Files.Err] and every method say.
func NewFiles(o *Options) *Files {
	f := &Files{}
	if o != nil {
		f.o = *o
		f.o.Header = o.Header.Clone()
	}
	if f.conn, f.err = f.o.connect("files"); f.err != nil {
		return f
	}
	bulk := f.o
	bulk.HeaderTimeout = max(bulk.HeaderTimeout, bulkTimeout)
	f.bulk, f.err = bulk.connect("files")
	return f
}

// Err says why files cannot be reached: a setting that is missing or wrong.
func (f *Files) Err() error {
	if f.conn == nil && f.err == nil {
		return wire.Unmade(vendor, "gemini.NewFiles")
	}
	return f.err
}

// String shows the options, the key kept back.
func (f Files) String() string { return vendor + " files " + f.o.String() }

// GoString is String.
func (f Files) GoString() string { return f.String() }

// LogValue is String.
func (f Files) LogValue() slog.Value { return slog.StringValue(f.String()) }

// Format prints String whatever the verb.
func (f Files) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// A FileState is how far the server is with a file.
type FileState string

// The states of a file. Only an active one can be referred to.
const (
	FileProcessing FileState = "PROCESSING"
	FileActive     FileState = "ACTIVE"
	FileFailed     FileState = "FAILED"
)

// A File is one that is on the server.
type File struct {
	Name        string // "files/abc-123": what Get and Delete want
	DisplayName string
	MIME        string
	URI         string // what a message refers to; it is not shown when printed
	Size        int64  // bytes
	State       FileState
	Expires     time.Time // when the server removes it; zero: not told
}

// Part refers to the file in a message. The file has to be active by the time that
// the message is sent.
func (f *File) Part() llm.Part {
	return llm.Part{Kind: llm.PartFile, File: &llm.FileRef{URI: f.URI, MIME: f.MIME, Name: f.DisplayName}}
}

// String tells the name, the type, the size and the state.
func (f File) String() string {
	return fmt.Sprintf("%s (%s, %d bytes, %s)", f.Name, f.MIME, f.Size, strings.ToLower(string(f.State)))
}

// GoString is String, so that %#v keeps the URI back too.
func (f File) GoString() string { return f.String() }

// Format prints String whatever the verb.
func (f File) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue is String.
func (f File) LogValue() slog.Value { return slog.StringValue(f.String()) }

// wireFile is a file as the API writes it.
type wireFile struct {
	Name        string          `json:"name"`
	DisplayName string          `json:"displayName"`
	MIME        string          `json:"mimeType"`
	URI         string          `json:"uri"`
	Size        json.Number     `json:"sizeBytes"` // a text
	State       FileState       `json:"state"`
	Expires     string          `json:"expirationTime"`
	Error       json.RawMessage `json:"error"`
}

// file checks what the server says of a file.
func (f *Files) file(data []byte) (*File, error) {
	var w wireFile
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, f.odd("what it says of the file is not JSON of the API's form")
	}
	if !validName(w.Name) {
		return nil, f.odd("the file's name is none that the API gives")
	}
	out := &File{Name: w.Name, DisplayName: w.DisplayName, MIME: w.MIME, URI: w.URI, State: w.State}
	out.Size, _ = w.Size.Int64()                         // 0 is not told
	out.Expires, _ = time.Parse(time.RFC3339, w.Expires) // zero is not told
	switch w.State {
	case FileActive:
		if _, err := llm.NewFile(w.URI, w.MIME, ""); err != nil {
			return out, f.odd("the file cannot be referred to: " + err.Error())
		}
	case FileFailed:
		p := wire.Problem{}
		if len(w.Error) > 0 {
			p = wire.ParseProblem(w.Error)
		}
		if p.Message == "" {
			p.Message = "no reason given; check that the file is of its type"
		}
		p.Message = fmt.Sprintf("the server could not process %s (%s): %s", w.Name, w.MIME, p.Message)
		p.Code = ""
		e := f.conn.Fail(0, &p)
		e.Kind = llm.KindInvalidRequest
		return out, e
	}
	return out, nil
}

func unusable() error { return invalid("change Options.BaseURL", "the base URL cannot be used") }

// odd is the error of a server that does not keep to the API.
func (f *Files) odd(what string) error {
	return &llm.Error{Kind: llm.KindOther, Provider: vendor, Err: errors.New("files: " + what), Hint: "check Options.BaseURL"}
}

// validName reports whether a name is one that the API gives: files/ and at most 40
// small letters, digits and dashes, no dash at the ends. Nothing else is put into a
// URL.
func validName(s string) bool {
	id, ok := strings.CutPrefix(s, "files/")
	if !ok || id == "" || len(id) > 40 || id[0] == '-' || id[len(id)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}

// Get asks for a file. One that could not be processed is an error, with the file.
func (f *Files) Get(ctx context.Context, name string) (*File, error) {
	data, err := f.call(ctx, http.MethodGet, name)
	if err != nil {
		return nil, err
	}
	return f.file(data)
}

// Delete removes a file. One that is no longer there has been removed.
func (f *Files) Delete(ctx context.Context, name string) error {
	_, err := f.call(ctx, http.MethodDelete, name)
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// call makes a short request about a file and returns what is answered.
func (f *Files) call(ctx context.Context, method, name string) ([]byte, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	if !validName(name) {
		return nil, invalid("take it from File.Name: files/ and small letters, digits and dashes", "%q is no name of a file", name)
	}
	req, err := http.NewRequestWithContext(ctx, method, f.conn.URL("/"+name), http.NoBody)
	if err != nil {
		return nil, unusable()
	}
	resp, err := f.conn.Do(req)
	if err != nil {
		return nil, err
	}
	return f.answer(resp)
}

// maxAnswer is how much a server may say of a file.
const maxAnswer = 1 << 20

// answer reads what a server says, and closes it.
func (f *Files) answer(resp *http.Response) ([]byte, error) {
	if resp.StatusCode/100 != 2 {
		return nil, refine(f.conn.Refused(resp))
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindTransient, Provider: vendor, Err: fmt.Errorf("files: the answer broke off: %w", err)}
	}
	return data, nil
}

// The times between two looks at a file that is processed.
const (
	firstLook = time.Second
	lastLook  = 15 * time.Second
)

// Wait waits until the server has processed a file, looking at longer and longer
// intervals, until ctx ends.
func (f *Files) Wait(ctx context.Context, name string) (*File, error) {
	for pause := firstLook; ; pause = min(lastLook, pause*3/2) {
		file, err := f.Get(ctx, name)
		if err != nil || file.State == FileActive {
			return file, err
		}
		if err := sleep(ctx, pause); err != nil {
			return file, fmt.Errorf("gemini: wait for %s to be processed: %w", name, err)
		}
	}
}

// uploadBase is where uploads begin: the base URL with /upload before its version.
func (f *Files) uploadBase() string {
	u := f.conn.Base()
	at := max(0, strings.LastIndex(u.Path, "/"))
	u.Path = u.Path[:at] + "/upload" + u.Path[at:] + "/files"
	u.RawPath = ""
	return u.String()
}

// allowed reports whether bytes may be sent to an address that the server gives: it
// has to be on the same server.
func (f *Files) allowed(address string) (*url.URL, error) {
	base := f.conn.Base()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, f.odd("it gave no address to send the file to")
	}
	if u.Host != base.Host || u.Scheme != base.Scheme || u.User != nil {
		return nil, f.odd(fmt.Sprintf("it wants the file sent to %s://%s, which is not the server that was asked (%s://%s)", u.Scheme, u.Host, base.Scheme, base.Host))
	}
	return u, nil
}
