package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/helios-go/helios/provider/internal/wire"
)

// piece is how much of a file is sent in one request, and held in memory.
const piece = 8 << 20

// UploadOptions say what a file is. Nil and the zero value are the defaults.
type UploadOptions struct {
	MIME string // "": by the ending of the path; needed for a reader
	Name string // for people; "": the last part of the path
	// Progress is told how many bytes the server has, after each piece, and that all
	// of them are there when it begins to process the file.
	Progress func(Progress)
}

// Progress is how far an upload is.
type Progress struct {
	Sent, Size int64 // bytes; Size is -1 where it is not known
	Processing bool  // all is sent, and the server works on it
}

// UploadPath uploads a file from the disk; see [Files.Upload].
func (f *Files) UploadPath(ctx context.Context, path string, o *UploadOptions) (*File, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	if err != nil {
		return nil, fmt.Errorf("gemini: upload: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, invalid("use Upload with a reader", "upload %q: it is no regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("gemini: upload: %w", err)
	}
	defer file.Close()
	var with UploadOptions
	if o != nil {
		with = *o
	}
	if with.Name == "" {
		with.Name = filepath.Base(path)
	}
	if with.MIME == "" {
		with.MIME = mime.TypeByExtension(filepath.Ext(path))
	}
	return f.Upload(ctx, file, info.Size(), &with)
}

// Upload sends size bytes from r, in pieces of 8 MiB of which one is in memory, and
// waits until the server has processed them. A piece that breaks off is gone on with
// where it broke, a few times. A size of -1 is not known: r is then
// read to its end. Otherwise a reader that holds more or less is an error.
//
// The file is returned with an error too, where the server has it already: it is
// there then until it is deleted or expires. [Files.Managed] does not leave it.
func (f *Files) Upload(ctx context.Context, r io.Reader, size int64, o *UploadOptions) (*File, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	if o == nil {
		o = &UploadOptions{}
	}
	kind, _, err := mime.ParseMediaType(o.MIME)
	if err != nil {
		return nil, invalid("set UploadOptions.MIME", "upload: the type of the file is %q, which is no MIME type", o.MIME)
	}
	u := &upload{files: f, ctx: ctx, src: r, size: size, o: o}
	if u.address, err = f.begin(ctx, size, kind, o.Name); err != nil {
		return nil, err
	}
	data, err := u.send()
	if err != nil {
		return nil, err
	}
	var reply struct {
		File json.RawMessage `json:"file"`
	}
	if err := json.Unmarshal(data, &reply); err != nil || len(reply.File) == 0 {
		return nil, f.odd("it took the file and did not say where it is")
	}
	file, err := f.file(reply.File)
	if err != nil || file.State == FileActive {
		return file, err
	}
	u.tell(true)
	if found, err := f.Wait(ctx, file.Name); found != nil {
		return found, err
	} else if err != nil {
		return file, err
	}
	return file, nil
}

// begin asks where to send a file.
func (f *Files) begin(ctx context.Context, size int64, kind, name string) (*url.URL, error) {
	type about struct {
		DisplayName string `json:"displayName,omitempty"`
		MIME        string `json:"mimeType"`
	}
	body, err := wire.Marshal(map[string]about{"file": {DisplayName: name, MIME: kind}})
	if err != nil {
		return nil, f.conn.Invalid("upload: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.uploadBase(), bytes.NewReader(body))
	if err != nil {
		return nil, unusable()
	}
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("X-Goog-Upload-Protocol", "resumable")
	h.Set("X-Goog-Upload-Command", "start")
	h.Set("X-Goog-Upload-Header-Content-Type", kind)
	if size >= 0 {
		h.Set("X-Goog-Upload-Header-Content-Length", strconv.FormatInt(size, 10))
	}
	resp, err := f.conn.Do(req)
	if err != nil {
		return nil, err
	}
	if _, err := f.answer(resp); err != nil {
		return nil, err
	}
	return f.allowed(resp.Header.Get("X-Goog-Upload-Url"))
}

// An upload is one on its way.
type upload struct {
	files   *Files
	ctx     context.Context //nolint:containedctx // of one call of Upload
	src     io.Reader
	size    int64
	o       *UploadOptions
	address *url.URL
	sent    int64
}

func (u *upload) tell(processing bool) {
	if u.o.Progress != nil {
		u.o.Progress(Progress{Sent: u.sent, Size: u.size, Processing: processing})
	}
}

// send sends all pieces and returns what the server says to the last.
func (u *upload) send() ([]byte, error) {
	room := int64(piece)
	if u.size >= 0 {
		room = min(room, u.size)
	}
	// One byte more than a piece, to know whether another one follows.
	buf := make([]byte, room+1)
	held := 0
	for {
		n, err := io.ReadFull(u.src, buf[held:])
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return nil, fmt.Errorf("gemini: upload: read byte %d: %w", u.sent+int64(held+n), err)
		}
		held += n
		if err := u.fits(int64(held), last); err != nil {
			return nil, err
		}
		out := buf[:held]
		if !last {
			out = buf[:room]
		}
		data, err := u.piece(out, last)
		if err != nil {
			return nil, err
		}
		u.sent += int64(len(out))
		u.tell(false)
		if last {
			return data, nil
		}
		buf[0] = buf[room]
		held = 1
	}
}

// fits holds a reader to its size before the last piece is sent.
func (u *upload) fits(held int64, last bool) error {
	switch total := u.sent + held; {
	case u.size < 0:
	case total > u.size:
		return u.files.conn.Invalid("upload: the reader holds more than the %d bytes that its size says", u.size)
	case last && total < u.size:
		return u.files.conn.Invalid("upload: the reader ended after %d of %d bytes", total, u.size)
	}
	return nil
}
