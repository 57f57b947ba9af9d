package archives_test

import (
	"os"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helioai/archives"
	"github.com/helios-go/helios/helioai/places"
)

func home(t *testing.T) *places.Home {
	t.Helper()
	h, err := places.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func noEnv(string) string { return "" }

func TestAllArchivesAreOpened(t *testing.T) {
	t.Parallel()
	h := home(t)
	own := `[{"id":"lab","kind":"hapi","name":"our lab","base":"http://127.0.0.1:1/hapi"}]`
	if err := os.WriteFile(archives.TableFile(h), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := archives.Open(h, &archives.Options{Env: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Servers) != len(archive.Servers())+1 || all.Cache == nil {
		t.Errorf("%d servers", len(all.Servers))
	}
	for _, provider := range []string{"local", "cda", "amda", "lab"} {
		if _, ok := all.Archive(provider); !ok {
			t.Errorf("there is no %s", provider)
		}
	}
	if err := os.WriteFile(archives.TableFile(h), []byte(`[{"id":"x"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := archives.Open(h, &archives.Options{Env: noEnv}); err == nil || !strings.Contains(err.Error(), "archives.json") {
		t.Errorf("a table that is wrong: %v", err)
	}
}

func TestAnAccountIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	h := home(t)
	open := func(env map[string]string) error {
		_, err := archives.Open(h, &archives.Options{Env: func(name string) string { return env[name] }})
		return err
	}
	file := func(text string, mode os.FileMode) {
		t.Helper()
		path := archives.AccountFile(h)
		_ = os.Remove(path)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(nil); err != nil {
		t.Errorf("without an account: %v", err)
	}
	if err := open(map[string]string{archives.AMDAUser: "me"}); err == nil || !strings.Contains(err.Error(), archives.AMDAPassword) {
		t.Errorf("half an account: %v", err)
	}
	file(`{"user":"me","password":"s3cret"}`, 0o644)
	if err := open(nil); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
	file(`{"user":"me","passw`, 0o600)
	if err := open(nil); err == nil || strings.Contains(err.Error(), "passw\"") || !strings.Contains(err.Error(), "not of the form") {
		t.Errorf("a file that is cut off: %v", err)
	}
	file(`{"user":"me","password":"s3cret"}`, 0o600)
	if err := open(nil); err != nil {
		t.Error(err)
	}
}
