package sdkcheck

import (
	_ "embed"
	"regexp"
	"testing"
)

//go:embed DIFFERENCES.md
var differences string

// generated are calls whose id we made up, a new one each time.
var generated = regexp.MustCompile(`^call call_[A-Z0-9]{20} `)

// TestStreamsGiveTheSameMessage plays every stream of the corpus, in every way to
// send it, to our provider and to the official client. What we make of it does not depend on
// how it was sent.
func TestStreamsGiveTheSameMessage(t *testing.T) {
	t.Parallel()
	tables, err := ReadTables(differences)
	if err != nil {
		t.Fatal(err)
	}
	for _, wire := range Wires() {
		t.Run(wire.Name, func(t *testing.T) {
			t.Parallel()
			server := NewServer()
			defer server.Close()
			streams, err := Streams(wire.Name)
			if err != nil {
				t.Fatal(err)
			}
			table := tables["Streams: "+wire.Name]
			sent := 0
			for _, stream := range streams {
				sent += compareStream(t, wire, server, table, stream)
			}
			for _, row := range table.Gone() {
				t.Errorf("DIFFERENCES.md lists a difference that is gone:\n%v", row)
			}
			t.Logf("%d streams, sent in %d ways", len(streams), sent)
		})
	}
}

// compareStream sends a stream in every way and returns how many those are.
func compareStream(t *testing.T, wire *Wire, server *Server, table Table, s Stream) (sent int) {
	t.Helper()
	asItStands := map[Difference]bool{}
	var first []Field
	for _, v := range Variants() {
		if v.Most > 0 && len(s.Bodies[0]) > v.Most {
			continue
		}
		found, ours, err := wire.Compare(t.Context(), server, s, v)
		if err != nil {
			t.Fatalf("%s (%s): %v", s.Name, v.Name, err)
		}
		sent++
		for _, d := range found {
			same := Difference{Field: d.Field, Ours: d.Ours, Theirs: d.Theirs}
			if v.Name == "" {
				asItStands[same] = true
			}
			if !table.Lists(d) && !table.ListsOf(s.Name, d) && (v.Name == "" || !asItStands[same]) {
				t.Errorf("a difference that DIFFERENCES.md does not list:\n%v", &d)
			}
		}
		fields := ours.Fields(false, s.words())
		switch {
		case v.Name == "":
			first = fields
		case !v.Short:
			for _, d := range differ(s.Name, first, fields) {
				if !generated.MatchString(d.Ours) {
					t.Errorf("%s: sent otherwise (%s), %s is %s, want %s", s.Name, v.Name, d.Field, d.Theirs, d.Ours)
				}
			}
		}
	}
	return sent
}

// TestRequestsAreTheSame sends the same conversations with our provider and with
// the official client.
func TestRequestsAreTheSame(t *testing.T) {
	t.Parallel()
	tables, err := ReadTables(differences)
	if err != nil {
		t.Fatal(err)
	}
	for _, wire := range Wires() {
		t.Run(wire.Name, func(t *testing.T) {
			t.Parallel()
			server := NewServer()
			defer server.Close()
			table := tables["Requests: "+wire.Name]
			exchanges := wire.Exchanges()
			for _, x := range exchanges {
				found, err := wire.CompareRequests(t.Context(), server, x)
				if err != nil {
					t.Errorf("%s: %v", x.Name, err)
					continue
				}
				for _, d := range found {
					if !table.Lists(d) {
						t.Errorf("a difference that DIFFERENCES.md does not list:\n%v", &d)
					}
				}
			}
			for _, row := range table.Gone() {
				t.Errorf("DIFFERENCES.md lists a difference that is gone:\n%v", row)
			}
			t.Logf("%d conversations", len(exchanges))
		})
	}
}
