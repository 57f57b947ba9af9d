package gemini_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/gemini"
)

const (
	processing = `{"name":"files/abc-1","uri":"https://h/v1beta/files/abc-1","mimeType":"video/mp4","sizeBytes":"4","state":"PROCESSING"}`
	active     = `{"name":"files/abc-1","uri":"https://h/v1beta/files/abc-1","mimeType":"video/mp4","sizeBytes":"4","state":"ACTIVE","displayName":"clip","expirationTime":"2026-12-03T10:00:00Z"}`
	there      = "https://generativelanguage.googleapis.com/upload/v1beta/files?upload_id=SECRET"
)

// started is the reply to the beginning of an upload.
func started(address string) llmtest.Reply {
	return llmtest.JSON(200, "").Header("X-Goog-Upload-Url", address).To("POST", "/upload/v1beta/files")
}

func filesOn(w *llmtest.Wire) *gemini.Files {
	return gemini.NewFiles(&gemini.Options{Key: testKey, HTTP: w.Client()})
}

func TestManagedFileIsUploadedAndRemovedOnce(t *testing.T) { // case 61
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := llmtest.NewWire(
			started(there),
			llmtest.JSON(200, `{"file":`+processing+`}`).To("POST", "/upload/v1beta/files?upload_id=SECRET"),
			llmtest.JSON(200, processing).To("GET", "/v1beta/files/abc-1"),
			llmtest.JSON(200, processing),
			llmtest.JSON(200, active),
			llmtest.JSON(404, `{"error":{"code":404,"message":"gone","status":"NOT_FOUND"}}`).To("DELETE", "/v1beta/files/abc-1"),
		)
		var seen []gemini.Progress
		ctx, cancel := context.WithCancel(context.Background())
		file, err := filesOn(wire).ManagedReader(ctx, strings.NewReader("clip"), 4, &gemini.UploadOptions{
			MIME: "video/mp4", Name: "clip", Progress: func(p gemini.Progress) { seen = append(seen, p) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if file.State != gemini.FileActive || file.Size != 4 || file.Expires.IsZero() {
			t.Errorf("file %v", file)
		}
		if p := file.Part(); p.File == nil || p.File.URI != "https://h/v1beta/files/abc-1" || p.File.MIME != "video/mp4" || p.File.Name != "clip" {
			t.Errorf("part %v", p)
		}
		if want := []gemini.Progress{{Sent: 4, Size: 4}, {Sent: 4, Size: 4, Processing: true}}; fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("progress %v, want %v", seen, want)
		}
		cancel() // of the upload: the file goes all the same
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := file.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if err := wire.Done(); err != nil {
			t.Error(err)
		}
		begin, data := wire.Requests()[0], wire.Requests()[1]
		for name, want := range map[string]string{
			"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
			"X-Goog-Upload-Header-Content-Length": "4", "X-Goog-Upload-Header-Content-Type": "video/mp4", "X-Goog-Api-Key": testKey,
		} {
			if got := begin.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		same(t, string(begin.Body), `{"file":{"displayName":"clip","mimeType":"video/mp4"}}`)
		if string(data.Body) != "clip" || data.Header.Get("X-Goog-Upload-Command") != "upload, finalize" || data.Header.Get("X-Goog-Upload-Offset") != "0" {
			t.Errorf("sent %q with %v", data.Body, data.Header)
		}
	})
}

func TestRemovalThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	wire := llmtest.NewWire(started(there), llmtest.JSON(200, `{"file":`+active+`}`),
		llmtest.JSON(503, `{"error":{"message":"busy"}}`), llmtest.JSON(200, `{}`))
	file, err := filesOn(wire).ManagedReader(context.Background(), strings.NewReader("clip"), -1, &gemini.UploadOptions{MIME: "video/mp4"})
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); !errors.Is(err, llm.ErrTransient) {
		t.Errorf("first: %v", err)
	}
	for range 2 {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := wire.Done(); err != nil {
		t.Error(err)
	}
}

// Where a managed upload comes to nothing, nothing stays on the server.
func TestFailedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	failed := strings.Replace(processing, `"PROCESSING"`, `"FAILED","error":{"code":3,"message":"no video in it"}`, 1)
	t.Run("processing fails", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			wire := llmtest.NewWire(started(there), llmtest.JSON(200, `{"file":`+processing+`}`), llmtest.JSON(200, failed), llmtest.JSON(200, `{}`).To("DELETE", "/v1beta/files/abc-1"))
			_, err := filesOn(wire).ManagedReader(context.Background(), strings.NewReader("clip"), 4, &gemini.UploadOptions{MIME: "video/mp4"})
			if !errors.Is(err, llm.ErrInvalidRequest) || !strings.Contains(err.Error(), "no video in it") {
				t.Errorf("error %v", err)
			}
			if err := wire.Done(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("it cannot be referred to", func(t *testing.T) {
		t.Parallel()
		nowhere := strings.Replace(active, "https://h/v1beta/files/abc-1", "", 1)
		wire := llmtest.NewWire(started(there), llmtest.JSON(200, `{"file":`+nowhere+`}`), llmtest.JSON(200, `{}`).To("DELETE", "/v1beta/files/abc-1"))
		_, err := filesOn(wire).ManagedReader(t.Context(), strings.NewReader("clip"), 4, &gemini.UploadOptions{MIME: "video/mp4"})
		if err == nil || !strings.Contains(err.Error(), "cannot be referred to") {
			t.Errorf("error %v", err)
		}
		if err := wire.Done(); err != nil {
			t.Error(err)
		}
	})
	t.Run("the caller gives up", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			wire := llmtest.NewWire(started(there), llmtest.JSON(200, `{"file":`+processing+`}`), llmtest.JSON(200, processing), llmtest.JSON(200, processing), llmtest.JSON(200, `{}`).To("DELETE", "/v1beta/files/abc-1"))
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			_, err := filesOn(wire).ManagedReader(ctx, strings.NewReader("clip"), 4, &gemini.UploadOptions{MIME: "video/mp4"})
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "files/abc-1") {
				t.Errorf("error %v", err)
			}
			if err := wire.Done(); err != nil {
				t.Error(err)
			}
		})
	})
}

func TestUnmanagedFileComesWithTheError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := llmtest.NewWire(started(there), llmtest.JSON(200, `{"file":`+processing+`}`), llmtest.JSON(500, `{}`))
		file, err := filesOn(wire).Upload(context.Background(), strings.NewReader("clip"), 4, &gemini.UploadOptions{MIME: "video/mp4"})
		if err == nil || file == nil || file.Name != "files/abc-1" {
			t.Errorf("file %v, error %v", file, err)
		}
	})
}

func TestLooksAtAFileGetRarer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var replies []llmtest.Reply
		for range 12 {
			replies = append(replies, llmtest.JSON(200, processing))
		}
		wire := llmtest.NewWire(append(replies, llmtest.JSON(200, active))...)
		begin := time.Now()
		if _, err := filesOn(wire).Wait(context.Background(), "files/abc-1"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took < time.Minute || took > 3*time.Minute {
			t.Errorf("12 looks in %s", took)
		}
	})
}

func TestNamesAreChecked(t *testing.T) { // case 62
	t.Parallel()
	reply := strings.Replace(active, "files/abc-1", "files/../x", 1)
	wire := llmtest.NewWire(started(there), llmtest.JSON(200, `{"file":`+reply+`}`))
	_, err := filesOn(wire).ManagedReader(context.Background(), strings.NewReader("clip"), 4, &gemini.UploadOptions{MIME: "video/mp4"})
	if err == nil || !strings.Contains(err.Error(), "name") {
		t.Errorf("error %v", err)
	}
	if err := wire.Done(); err != nil { // and nothing was deleted
		t.Error(err)
	}
	none := llmtest.NewWire()
	for _, name := range []string{"", "abc", "files/", "files/-a", "files/a-", "files/A", "files/a/b", "files/../x", "files/a?x", "files/" + strings.Repeat("a", 41)} {
		if err := filesOn(none).Delete(context.Background(), name); !errors.Is(err, llm.ErrInvalidRequest) {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := filesOn(none).Get(context.Background(), name); !errors.Is(err, llm.ErrInvalidRequest) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if len(none.Requests()) > 0 {
		t.Errorf("%d requests", len(none.Requests()))
	}
}

func TestBytesGoToTheServerThatWasAskedOnly(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "nowhere", "https://evil.example/upload?key=SECRET", "http://generativelanguage.googleapis.com/upload", "https://generativelanguage.googleapis.com:8443/upload",
		"https://x@generativelanguage.googleapis.com/upload", "https://generativelanguage.googleapis.com.evil.example/", "//evil.example/x",
	} {
		wire := llmtest.NewWire(started(address))
		_, err := filesOn(wire).Upload(context.Background(), strings.NewReader("clip"), 4, &gemini.UploadOptions{MIME: "video/mp4"})
		if err == nil || strings.Contains(err.Error(), "SECRET") || len(wire.Requests()) != 1 {
			t.Errorf("%q: %d requests, error %v", address, len(wire.Requests()), err)
		}
	}
}

func TestReadersAreHeldToTheirSize(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		src  io.Reader
		size int64
		want string
	}{
		"shorter": {strings.NewReader("cl"), 4, "2 of 4"},
		"longer":  {strings.NewReader("clips"), 4, "more than the 4"},
		"broken":  {iotest.ErrReader(broken), 4, broken.Error()},
	} {
		wire := llmtest.NewWire(started(there))
		_, err := filesOn(wire).Upload(context.Background(), c.src, c.size, &gemini.UploadOptions{MIME: "video/mp4"})
		if err == nil || !strings.Contains(err.Error(), c.want) || len(wire.Requests()) != 1 {
			t.Errorf("%s: %d requests, error %v", name, len(wire.Requests()), err)
		}
	}
	if _, err := filesOn(llmtest.NewWire()).Upload(context.Background(), strings.NewReader("x"), 1, nil); err == nil || !strings.Contains(err.Error(), "UploadOptions.MIME") {
		t.Errorf("without a type: %v", err)
	}
}

func TestPathsTellTypeAndName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "note.html")
	if err := os.WriteFile(path, []byte("<p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	wire := llmtest.NewWire(started(there), llmtest.JSON(200, `{"file":`+active+`}`))
	if _, err := filesOn(wire).UploadPath(context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
	same(t, string(wire.Requests()[0].Body), `{"file":{"displayName":"note.html","mimeType":"text/html"}}`)
	if _, err := filesOn(llmtest.NewWire()).UploadPath(context.Background(), t.TempDir(), nil); !errors.Is(err, llm.ErrInvalidRequest) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := filesOn(llmtest.NewWire()).Managed(context.Background(), path+".none", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// A store takes uploads as Google's server does, and keeps a hash of each.
type store struct {
	mu      sync.Mutex
	sum     hash.Hash
	size    int64
	pieces  int
	wrong   string
	deleted int
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch command := r.Header.Get("X-Goog-Upload-Command"); {
	case r.Method == http.MethodDelete:
		s.deleted++
		_, _ = io.WriteString(w, "{}")
	case command == "start":
		w.Header().Set("X-Goog-Upload-Url", "http://"+r.Host+"/upload/session?id=1")
	default:
		if r.Header.Get("X-Goog-Upload-Offset") != strconv.FormatInt(s.size, 10) {
			s.wrong = fmt.Sprintf("offset %s at %d", r.Header.Get("X-Goog-Upload-Offset"), s.size)
		}
		n, err := io.Copy(s.sum, r.Body)
		if err != nil {
			s.wrong = err.Error()
		}
		s.size += n
		s.pieces++
		if command == "upload" {
			if n%(256<<10) != 0 {
				s.wrong = fmt.Sprintf("a piece of %d bytes", n)
			}
			w.Header().Set("X-Goog-Upload-Status", "active")
			return
		}
		w.Header().Set("X-Goog-Upload-Status", "final")
		_, _ = io.WriteString(w, `{"file":`+active+`}`)
	}
}

func TestFilesOfAnySizeArriveWhole(t *testing.T) {
	t.Parallel()
	const piece = 8 << 20
	for size, pieces := range map[int]int{0: 1, 1: 1, piece - 1: 1, piece: 1, piece + 1: 2, 2*piece + 5: 3} {
		for _, told := range []bool{true, false} {
			s := &store{sum: sha256.New()}
			server := httptest.NewServer(s)
			data := bytes.Repeat([]byte("0123456789abcdef!"), size/17+1)[:size]
			said := int64(size)
			if !told {
				said = -1
			}
			files := gemini.NewFiles(&gemini.Options{BaseURL: server.URL + "/v1beta", Key: testKey})
			_, err := files.Upload(context.Background(), iotest.HalfReader(bytes.NewReader(data)), said, &gemini.UploadOptions{MIME: "video/mp4"})
			server.Close()
			if want := sha256.Sum256(data); err != nil || s.wrong != "" || s.pieces != pieces || !bytes.Equal(s.sum.Sum(nil), want[:]) {
				t.Errorf("%d bytes, told %t: %d pieces (want %d), %s, error %v", size, told, s.pieces, pieces, s.wrong, err)
			}
		}
	}
}

// What an upload takes is a piece of the file, however long the file is. It is not
// parallel: other tests would be counted.
//
//nolint:paralleltest // see above
func TestUploadHoldsOnePieceInMemory(t *testing.T) { // case 63
	const size = 100 << 20
	s := &store{sum: sha256.New()}
	server := httptest.NewServer(s)
	defer server.Close()
	files := gemini.NewFiles(&gemini.Options{BaseURL: server.URL + "/v1beta", Key: testKey})
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most uint64
	_, err := files.Upload(context.Background(), io.LimitReader(zeros{}, size), size, &gemini.UploadOptions{MIME: "video/mp4", Progress: func(gemini.Progress) {
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc)
	}})
	if err != nil || s.wrong != "" || s.size != size {
		t.Fatalf("%d bytes arrived, %s, error %v", s.size, s.wrong, err)
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes, want at most 16 MiB", grown)
	} else {
		t.Logf("the heap grew by %.1f MiB", float64(grown)/(1<<20))
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A piece that breaks off is gone on with where it broke.
func TestBrokenUploadGoesOn(t *testing.T) {
	t.Parallel()
	upload := func(replies ...llmtest.Reply) (*gemini.File, []*llmtest.WireRequest, error) {
		wire := llmtest.NewWire(append([]llmtest.Reply{started(there)}, replies...)...)
		file, err := filesOn(wire).Upload(context.Background(), strings.NewReader("0123456789"), 10, &gemini.UploadOptions{MIME: "video/mp4"})
		if bad := wire.Done(); bad != nil {
			t.Error(bad)
		}
		return file, wire.Requests()[1:], err
	}
	received := func(n string) llmtest.Reply {
		return llmtest.JSON(200, "").Header("X-Goog-Upload-Status", "active").Header("X-Goog-Upload-Size-Received", n)
	}
	done := llmtest.JSON(200, `{"file":`+active+`}`)
	broken, busy := llmtest.SSE("").Unanswered(), llmtest.JSON(503, `{}`)
	for name, c := range map[string]struct {
		replies []llmtest.Reply
		bodies  string
		fails   bool
	}{
		"in the middle":      {[]llmtest.Reply{broken, received("4"), done}, "0123456789||456789", false},
		"twice":              {[]llmtest.Reply{busy, received("0"), broken, received("9"), done}, "0123456789||0123456789||9", false},
		"before the answer":  {[]llmtest.Reply{broken, llmtest.JSON(200, `{"file":`+active+`}`).Header("X-Goog-Upload-Status", "final")}, "0123456789|", false},
		"and so does asking": {[]llmtest.Reply{broken, busy, done}, "0123456789||0123456789", false},
		"and it is gone":     {[]llmtest.Reply{broken, llmtest.JSON(404, `{}`)}, "0123456789|", true},
		"and nobody knows":   {[]llmtest.Reply{broken, received("11")}, "0123456789|", true},
		"for good": {[]llmtest.Reply{
			busy, received("0"), busy, received("0"), busy, received("0"), busy, received("0"), busy,
		}, "0123456789||0123456789||0123456789||0123456789||0123456789", true},
		"by refusal": {[]llmtest.Reply{llmtest.JSON(400, `{}`)}, "0123456789", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				file, requests, err := upload(c.replies...)
				if (err != nil) != c.fails || (file == nil) != c.fails {
					t.Errorf("file %v, error %v", file, err)
				}
				var bodies []string
				for _, q := range requests {
					if q.Header.Get("X-Goog-Upload-Command") != "query" || len(q.Body) > 0 {
						offset, bad := strconv.Atoi(q.Header.Get("X-Goog-Upload-Offset"))
						if bad != nil || string(q.Body) != "0123456789"[offset:] {
							t.Errorf("sent %q at %d", q.Body, offset)
						}
					}
					bodies = append(bodies, string(q.Body))
				}
				if got := strings.Join(bodies, "|"); got != c.bodies {
					t.Errorf("sent %s, want %s", got, c.bodies)
				}
			})
		})
	}
}
