package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/cache"
)

func open(t *testing.T, opts *cache.Options) *cache.Cache {
	t.Helper()
	c, err := cache.Open(filepath.Join(t.TempDir(), "cache"), opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var key = cache.Key{Server: "cdaweb.gsfc.nasa.gov/hapi", Dataset: "AC_H0_MFI", Parameter: "BGSEc", Chunk: "2023-01-02"}

func put(t *testing.T, c *cache.Cache, k cache.Key, body string) {
	t.Helper()
	if err := c.Put(k, cache.Meta{}, []byte(body)); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, c *cache.Cache, k cache.Key) (string, bool) {
	t.Helper()
	body, _, ok, err := c.Get(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), ok
}

// pieces are the files of a cache.
func pieces(t *testing.T, c *cache.Cache) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(c.Dir(), "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestWhatIsPutIsGot(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 11, 2, 14, 0, 0, time.UTC)
	c := open(t, &cache.Options{Now: func() time.Time { return now }})
	if _, ok := get(t, c, key); ok {
		t.Error("an empty cache has it")
	}
	m := cache.Meta{Modified: "2024-01-01T00:00Z", ETag: `"x"`, Extra: map[string]string{"records": "3"}}
	if err := c.Put(key, m, []byte("body")); err != nil {
		t.Fatal(err)
	}
	body, got, ok, err := c.Get(key)
	if err != nil || !ok || string(body) != "body" {
		t.Fatalf("%q, %v, %v", body, ok, err)
	}
	if got.Modified != m.Modified || got.ETag != m.ETag || got.Extra["records"] != "3" || !got.Checked.Equal(now) {
		t.Errorf("meta %+v", got)
	}
	now = now.Add(time.Hour)
	if err := c.Confirm(key, cache.Meta{Modified: "2024-05-01"}); err != nil {
		t.Fatal(err)
	}
	if body, got, _, _ = c.Get(key); string(body) != "body" || got.Modified != "2024-05-01" || !got.Checked.Equal(now) {
		t.Errorf("confirmed: %q, %+v", body, got)
	}
	if err := c.Remove(key); err != nil {
		t.Fatal(err)
	}
	if _, ok := get(t, c, key); ok {
		t.Error("it is still there")
	}
	if err := errors.Join(c.Remove(key), c.Confirm(key, m)); err != nil {
		t.Errorf("what is not there: %v", err)
	}
}

func TestNoTwoKeysShareAFile(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	long := strings.Repeat("long", 100)
	keys := []cache.Key{
		{}, {Server: "a"}, {Dataset: "a"}, {Parameter: "a"}, {Chunk: "a"},
		{Parameter: "a", Chunk: "b"}, {Parameter: "ab"}, {Parameter: "a\x00b"},
		{Dataset: "a/b"}, {Dataset: "a_b"}, {Dataset: "A_B"}, {Dataset: "../../../etc"}, {Dataset: ".."}, {Dataset: "."},
		{Dataset: "aae/definitive/PT1M/native"}, {Dataset: "☃ Ω"}, {Dataset: "☃ω"},
		{Dataset: long + "x"}, {Dataset: long + "y"}, {Server: "CON"}, {Server: "con"},
	}
	for i, k := range keys {
		put(t, c, k, fmt.Sprint(i))
	}
	for i, k := range keys {
		if body, ok := get(t, c, k); !ok || body != fmt.Sprint(i) {
			t.Errorf("%+v: %q, %v; want %d", k, body, ok, i)
		}
	}
	if n := len(pieces(t, c)); n != len(keys) {
		t.Errorf("%d files for %d keys", n, len(keys))
	}
	if err := c.Put(cache.Key{Dataset: "\xff"}, cache.Meta{}, nil); err == nil {
		t.Error("a name that is not UTF-8 is kept, and could not be told from another")
	}
}

// Whatever a crash or a bad disk leaves of a file is absent, and gone afterwards.
func TestADamagedFileIsAbsent(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	put(t, c, key, "some body of a piece")
	path := pieces(t, c)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if body, ok := get(t, c, key); ok {
			t.Errorf("%s: got %q", what, body)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: the file is still there", what)
		}
	}
	for n := range whole {
		check(fmt.Sprintf("cut at %d", n), whole[:n])
		flipped := bytes.Clone(whole)
		flipped[n] ^= 1 << (n % 8)
		check(fmt.Sprintf("bit flipped in byte %d", n), flipped)
	}
	check("longer", append(bytes.Clone(whole), 0))
	// A file of another key under this name.
	other := open(t, nil)
	put(t, other, cache.Key{Dataset: "another"}, "x")
	foreign, _ := os.ReadFile(pieces(t, other)[0])
	check("another key's", foreign)
}

func FuzzGet(f *testing.F) {
	dir := f.TempDir()
	c, err := cache.Open(dir, nil)
	if err != nil {
		f.Fatal(err)
	}
	if err := c.Put(key, cache.Meta{ETag: "e"}, []byte("body")); err != nil {
		f.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*"))
	whole, err := os.ReadFile(found[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte("helioch1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(found[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		body, _, ok, err := c.Get(key)
		if err != nil || ok && !bytes.Contains(data, body) {
			t.Errorf("%v, %v", ok, err)
		}
		if _, err := os.Stat(found[0]); ok == os.IsNotExist(err) {
			t.Errorf("read: %v, still there: %v", ok, err)
		}
	})
}

func TestTheOldestUseGoesFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	c := open(t, &cache.Options{Limit: 100_000, Now: func() time.Time { now = now.Add(time.Minute); return now }})
	chunk := func(i int) cache.Key { return cache.Key{Dataset: "d", Chunk: fmt.Sprint(i)} }
	body := strings.Repeat("x", 10_000)
	for i := range 40 {
		put(t, c, chunk(i), body)
		if _, ok := get(t, c, chunk(0)); !ok {
			t.Fatalf("the piece that is used all the time is gone after %d", i)
		}
		if size, err := c.Size(); err != nil || size > 125_000 {
			t.Fatalf("%d bytes, %v; the limit is 100000", size, err)
		}
	}
	if freed, err := c.Trim(); err != nil || freed < 0 {
		t.Error(freed, err)
	}
	if size, _ := c.Size(); size > 100_000 {
		t.Errorf("%d bytes after a trim", size)
	}
	if _, ok := get(t, c, chunk(39)); !ok {
		t.Error("the newest is gone")
	}
	if _, ok := get(t, c, chunk(1)); ok {
		t.Error("the oldest is still there")
	}
}

func TestWhatAKilledWriterLeftIsRemoved(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c := open(t, &cache.Options{Now: func() time.Time { return now }})
	put(t, c, key, "x")
	left := filepath.Join(filepath.Dir(pieces(t, c)[0]), ".partial-1")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, age := range []time.Duration{0, 2 * time.Hour} {
		now = time.Now().Add(age)
		if _, err := c.Trim(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); os.IsNotExist(err) != (age > 0) {
			t.Errorf("after %v: %v", age, err)
		}
	}
	if _, ok := get(t, c, key); !ok {
		t.Error("the piece is gone too")
	}
}

// Writers and readers of one key at a time: a reader sees one whole body or
// another.
func TestWritersDoNotMix(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 30 {
				body := bytes.Repeat([]byte{byte('a' + w)}, 1+rand.IntN(20_000))
				if err := c.Put(key, cache.Meta{}, body); err != nil {
					t.Error(i, err)
				}
			}
		})
		wg.Go(func() {
			for range 30 {
				body, _, ok, err := c.Get(key)
				if err != nil {
					t.Error(err)
				}
				if ok && len(bytes.Trim(body, string(body[:1]))) != 0 {
					t.Error("two bodies in one")
				}
			}
		})
	}
	wg.Wait()
	if _, ok := get(t, c, key); !ok {
		t.Error("nothing is there in the end")
	}
}

func TestALockHasOneHolder(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	again, err := cache.Open(c.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var inside atomic.Int32 // the race detector knows nothing of locks on files
	var wg sync.WaitGroup
	for i := range 20 {
		one := []*cache.Cache{c, again}[i%2]
		if !locksAcrossOpens {
			one = c
		}
		wg.Go(func() {
			unlock, err := one.Lock(t.Context(), "dataset")
			if err != nil {
				t.Error(err)
				return
			}
			if n := inside.Add(1); n != 1 {
				t.Errorf("%d inside", n)
			}
			inside.Add(-1)
			unlock()
			unlock()
		})
	}
	wg.Wait()
	unlock, err := c.Lock(t.Context(), "dataset")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	other, err := c.Lock(t.Context(), "another")
	if err != nil {
		t.Fatal(err)
	}
	other()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Lock(ctx, "dataset"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
}

func TestOpenNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file} {
		if _, err := cache.Open(dir, nil); err == nil || !strings.HasPrefix(err.Error(), "open the cache: ") {
			t.Errorf("%q: %v", dir, err)
		}
	}
}
