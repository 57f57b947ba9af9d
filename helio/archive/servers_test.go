package archive_test

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
)

func TestTheTableOfArchivesIsSound(t *testing.T) {
	t.Parallel()
	servers := archive.Servers()
	byID := map[string]archive.Server{}
	for _, s := range servers {
		byID[s.ID] = s
		if s.Name == "" {
			t.Errorf("%s has no name", s.ID)
		}
		a, err := s.Open(nil)
		if err != nil || a.Name() == "" {
			t.Errorf("%s: %v", s.ID, err)
		}
		if s.Try == nil {
			continue
		}
		start, err1 := tt.Parse(s.Try.Start)
		stop, err2 := tt.Parse(s.Try.Stop)
		if err1 != nil || err2 != nil || stop <= start || s.Try.Dataset == "" || s.Try.Parameter == "" {
			t.Errorf("%s: its trial %+v is none", s.ID, *s.Try)
		}
	}
	for _, id := range []string{"cda", "cdaweb", "amda", "csa", "ssc", "intermagnet", "pds-ppi"} {
		if _, ok := byID[id]; !ok {
			t.Errorf("there is no %s", id)
		}
	}
	servers[0].ID = "changed"
	if archive.Servers()[0].ID == "changed" {
		t.Error("the caller's change reaches the table")
	}
}

func TestAUsersTableTakesPlacesAndAddsSome(t *testing.T) {
	t.Parallel()
	own, err := archive.ReadServers(strings.NewReader(`[{"id":"cda","kind":"hapi","name":"mine","base":"http://localhost:8000/hapi"},{"id":"my.lab","kind":"hapi","name":"lab","base":"https://lab.example/hapi"}]`))
	if err != nil {
		t.Fatal(err)
	}
	merged := archive.MergeServers(archive.Servers(), own)
	if len(merged) != len(archive.Servers())+1 || merged[0].Name != "mine" || merged[len(merged)-1].ID != "my.lab" {
		t.Errorf("%+v", merged)
	}
}

func TestATableThatIsWrongIsNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: "JSON array",
		`[{"id":"a","kind":"hapi","name":"a","base":"http://a"}] x`:                               "follows the array",
		`[{"id":"a","kind":"hapi","base":"http://a"},{"id":"a","kind":"hapi","base":"http://a"}]`: "entry 2",
		`[{"id":"A b","kind":"hapi","base":"http://a"}]`:                                          "1 to 40",
		`[{"id":"local","kind":"hapi","base":"http://a"}]`:                                        "is not \"local\"",
		`[{"id":"a","kind":"ftp","base":"http://a"}]`:                                             "give one of hapi, amda",
		`[{"id":"a","kind":"hapi","base":"ftp://a"}]`:                                             "http or https",
		`[{"id":"a","kind":"hapi","base":"https://me:secret@a.example"}]`:                         "without a user",
		`[{"id":"mine","kind":"amda","base":"https://a.example"}]`:                                `its id is "amda"`,
		`[{"id":"a","kind":"hapi","base":"http://a","url":"x"}]`:                                  "url",
		strings.Repeat("[", 10000):                                                                "table of archives",
	} {
		_, err := archive.ReadServers(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("an error says %v", err)
		}
	}
	if _, err := (archive.Server{ID: "x", Kind: "none"}).Open(nil); err == nil {
		t.Error("a server of no kind is opened")
	}
}

func FuzzReadServers(f *testing.F) {
	f.Add(`[{"id":"a","kind":"hapi","name":"a","base":"http://a","try":{"dataset":"d"}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		servers, err := archive.ReadServers(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, s := range servers {
			if _, err := s.Open(nil); err != nil {
				t.Errorf("%+v is read and cannot be opened: %v", s, err)
			}
		}
	})
}
