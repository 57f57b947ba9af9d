package sdkcheck

import (
	_ "embed"
	"testing"
)

//go:embed DIFFERENCES.md
var differences string

// TestStreamsGiveTheSameMessage plays every stream of the corpus, in every way to
// send it, to our provider and to the official client.
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
			plays := 0
			for _, s := range streams {
				asItStands := map[Difference]bool{}
				for _, v := range Variants() {
					if v.Most > 0 && len(s.Bodies[0]) > v.Most {
						continue
					}
					found, err := wire.Compare(t.Context(), server, s, v)
					if err != nil {
						t.Fatalf("%s (%s): %v", s.Name, v.Name, err)
					}
					plays++
					for _, d := range found {
						same := Difference{Field: d.Field, Ours: d.Ours, Theirs: d.Theirs}
						if v.Name == "" {
							asItStands[same] = true
						}
						if !table.Lists(d) && !table.ListsOf(s.Name, d) && (v.Name == "" || !asItStands[same]) {
							t.Errorf("a difference that DIFFERENCES.md does not list:\n%v", d)
						}
					}
				}
			}
			for _, row := range table.Gone() {
				t.Errorf("DIFFERENCES.md lists a difference that is gone:\n%v", row)
			}
			t.Logf("%d streams, sent in %d ways", len(streams), plays)
		})
	}
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
						t.Errorf("a difference that DIFFERENCES.md does not list:\n%v", d)
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
