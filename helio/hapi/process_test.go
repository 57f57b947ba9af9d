package hapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/hapi/hapitest"
	"github.com/helios-go/helios/helio/tt"
)

// long is a dataset whose fetch is worth interrupting: 5 years of 10 minutes, in 60
// chunks.
func long() *hapitest.Dataset {
	d := hapitest.Minutes()
	d.Cadence = 10 * time.Minute
	return d
}

// digest is a hash of all bits of some records.
func digest(r *hapi.Records) string {
	h := sha256.New()
	write := func(v any) {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	write(r.Time)
	for _, c := range r.Columns {
		write(c.Float)
	}
	return fmt.Sprintf("%d %x", r.Len(), h.Sum(nil))
}

// TestFetchAsChild is no test but the program that others start and kill.
func TestFetchAsChild(t *testing.T) { //nolint:paralleltest // it has its process for itself
	base, dir := os.Getenv("HAPI_CHILD_BASE"), os.Getenv("HAPI_CHILD_CACHE")
	if base == "" {
		return
	}
	store, err := cache.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := hapi.New(base, &hapi.Options{Cache: store}).Fetch(t.Context(), hapi.Query{Dataset: "minutes", Parameters: []string{"Magnitude", "B_GSE"}, Start: tt.Fill, Stop: tt.Fill})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("digest", digest(r))
}

// child starts a process that fetches everything.
func child(t *testing.T, base, dir string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFetchAsChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), "HAPI_CHILD_BASE="+base, "HAPI_CHILD_CACHE="+dir)
	out := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// kept lists the chunks of a parameter that a cache has.
func kept(t *testing.T, s *hapitest.Server, dir, parameter string) []string {
	t.Helper()
	store, err := cache.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for m := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC); m.Year() < 2025; m = m.AddDate(0, 1, 0) {
		chunk := m.Format("2006-01-02T15:04:05Z")
		_, _, ok, err := store.Get(cache.Key{Server: strings.TrimPrefix(s.URL, "http://"), Dataset: "minutes", Parameter: parameter, Chunk: chunk + "/P1M"})
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			list = append(list, chunk)
		}
	}
	return list
}

// notAgain checks that none of the chunks is in a request for the parameter.
func notAgain(t *testing.T, requests []hapitest.Request, parameter string, chunks []string) {
	t.Helper()
	for _, r := range requests {
		if !slices.Contains(strings.Split(r.Query.Get("parameters"), ","), parameter) {
			continue
		}
		start, stop := r.Window()
		for _, c := range chunks {
			if start <= c && c < stop {
				t.Fatalf("%s of %s was kept and is asked for again, by %s to %s", parameter, c, start, stop)
			}
		}
	}
}

func TestAKilledFetchGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := hapitest.New(t, nil, long())
	want := "digest " + digest(fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "", "", "Magnitude", "B_GSE")))
	whole := len(want) > 0 && strings.Contains(want, "digest 263088 ")
	if !whole {
		t.Fatal(want)
	}

	var mu sync.Mutex
	left := 0
	reached := make(chan struct{})
	killed := make(chan struct{})
	s.Set(func(o *hapitest.Options) {
		o.Pause = func(int) {
			mu.Lock()
			left--
			now, r, k := left == 0, reached, killed
			mu.Unlock()
			if now {
				close(r)
				<-k
			}
		}
	})
	dir := filepath.Join(t.TempDir(), "cache")
	kills, before := 0, -1
	var sent int64
	for {
		mags, fields := kept(t, s, dir, "Magnitude"), kept(t, s, dir, "B_GSE")
		if len(mags) < before {
			t.Fatalf("%d chunks are kept, and %d were before", len(mags), before)
		}
		before = len(mags)
		s.Forget()
		mu.Lock()
		left = 1 + random.IntN(2000) // pieces of 4 KiB, 62 of which are a chunk; sockets hold many
		if kills == 4 {
			left = 0 // it may end
		}
		reached, killed = make(chan struct{}), make(chan struct{})
		mu.Unlock()
		cmd, out := child(t, s.URL, dir)
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		var err error
		select {
		case <-reached:
			kills++
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-done
			close(killed)
			err = errors.New("killed")
		case err = <-done:
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		notAgain(t, s.Data(), "Magnitude", mags)
		notAgain(t, s.Data(), "B_GSE", fields)
		for _, r := range s.Data() {
			sent += int64(r.Sent)
		}
		if err != nil {
			continue
		}
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("after %d kills %q, want %q", kills, out, want)
		}
		if kills == 0 {
			t.Error("it was never killed")
		}
		t.Logf("%d kills, %.1f MB sent, of %.1f MB", kills, float64(sent)/1e6, 263088*56/1e6)
		return
	}
}

func TestTwoProcessesShareTheWork(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil, long())
	want := "digest " + digest(fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "", "", "Magnitude", "B_GSE"))) + "\n"
	s.Forget()
	dir := filepath.Join(t.TempDir(), "cache")
	first, out1 := child(t, s.URL, dir)
	second, out2 := child(t, s.URL, dir)
	for _, p := range []struct {
		cmd *exec.Cmd
		out *bytes.Buffer
	}{{first, out1}, {second, out2}} {
		if err := p.cmd.Wait(); err != nil || !strings.Contains(p.out.String(), want) {
			t.Errorf("%v: %q, want %q", err, p.out, want)
		}
	}
	if n := len(s.Data()); n != 1 && runtime.GOOS != "windows" {
		t.Errorf("%d requests for data, want one for both", n)
	}
}

func TestManyClientsOfOneCache(t *testing.T) {
	t.Parallel()
	s := hapitest.New(t, nil, long())
	want := digest(fetch(t, newClient(t, s, hapi.Options{}), ask(t, "minutes", "2021", "2023", "Magnitude", "B_GSE")))
	store := newCache(t)
	s.Forget()
	var wg sync.WaitGroup
	for range 6 {
		c := newClient(t, s, hapi.Options{Cache: store})
		wg.Go(func() {
			r, err := c.Fetch(t.Context(), hapi.Query{Dataset: "minutes", Parameters: []string{"Magnitude", "B_GSE"}, Start: at(t, "2021"), Stop: at(t, "2023")})
			if err != nil || digest(r) != want {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	if n := len(s.Data()); n != 1 {
		t.Errorf("%d requests for data, want 1", n)
	}
}
