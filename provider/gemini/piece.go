package gemini

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/helios-go/helios/llm"
)

// piece sends one piece. Where the connection breaks it asks how much of it has
// arrived, and sends the rest.
func (u *upload) piece(data []byte, last bool) ([]byte, error) {
	arrived := int64(0) // of data
	for tries, pause := 0, firstLook; ; tries, pause = tries+1, 2*pause {
		answer, err := u.post(u.sent+arrived, data[arrived:], last)
		if err == nil || tries == maxTries || !errors.Is(err, llm.ErrTransient) {
			return answer, err
		}
		if sleep(u.ctx, max(pause, wait(err))) != nil {
			return nil, context.Cause(u.ctx)
		}
		received, whole, asked := u.query()
		switch {
		case asked != nil:
			if !errors.Is(asked, llm.ErrTransient) {
				return nil, err // the upload is gone
			}
		case whole != nil && last:
			return whole, nil
		case received < u.sent || received > u.sent+int64(len(data)):
			return nil, err
		default:
			arrived = received - u.sent
			if arrived == int64(len(data)) && !last {
				return nil, nil
			}
		}
	}
}

// maxTries is how often what is left of a piece is sent again.
const maxTries = 4

// wait is how long a server asks to wait.
func wait(err error) time.Duration {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return min(e.RetryAfter, time.Minute)
	}
	return 0
}

// post sends bytes that begin at an offset of the file.
func (u *upload) post(offset int64, data []byte, last bool) ([]byte, error) {
	command := "upload"
	if last {
		command = "upload, finalize"
	}
	resp, err := u.do(command, data, func(h http.Header) {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("X-Goog-Upload-Offset", strconv.FormatInt(offset, 10))
	})
	if err != nil {
		return nil, err
	}
	answer, err := u.files.answer(resp)
	if err != nil {
		return nil, err
	}
	// The reply to the last piece tells the file, and to the others that the server
	// waits for more.
	if state := resp.Header.Get(uploadStatus); !last && state != "" && state != "active" {
		return nil, &llm.Error{Kind: llm.KindOther, Provider: vendor, Err: fmt.Errorf("files: the server gave the upload up after %d bytes", offset+int64(len(data)))}
	}
	return answer, nil
}

const uploadStatus = "X-Goog-Upload-Status"

// query asks how many bytes have arrived. Of an upload that is whole it is what the
// server says of the file.
func (u *upload) query() (received int64, whole []byte, err error) {
	resp, err := u.do("query", nil, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := u.files.answer(resp)
	if err != nil {
		return 0, nil, err
	}
	if resp.Header.Get(uploadStatus) == "final" {
		return 0, answer, nil
	}
	received, err = strconv.ParseInt(resp.Header.Get("X-Goog-Upload-Size-Received"), 10, 64)
	if err != nil {
		return 0, nil, u.files.odd("it does not say how much of the file has arrived")
	}
	return received, nil, nil
}

// do makes a request of an upload.
func (u *upload) do(command string, data []byte, set func(http.Header)) (*http.Response, error) {
	req, err := http.NewRequestWithContext(u.ctx, http.MethodPost, u.address.String(), bytes.NewReader(data))
	if err != nil {
		return nil, u.files.odd("it gave no address to send the file to")
	}
	req.Header.Set("X-Goog-Upload-Command", command)
	if set != nil {
		set(req.Header)
	}
	return u.files.bulk.Do(req)
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
