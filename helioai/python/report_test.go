package python

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func frames(texts ...string) []json.RawMessage {
	var out []json.RawMessage
	for _, t := range texts {
		out = append(out, json.RawMessage(t))
	}
	return out
}

func packed(data string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := z.Write([]byte(data))
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestForgedFramesAreDropped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10000)
	for _, frame := range []string{
		`not json`,
		`[1]`,
		`{"type":"unknown"}`,
		`{"type":"export"}`,
		`{"type":"export","value":{"name":"","kind":"number","value":1}}`,
		`{"type":"export","value":{"name":"a\u0007","kind":"number","value":1}}`,
		`{"type":"export","value":{"name":"a","kind":"number"}}`,
		`{"type":"export","value":{"name":"a","kind":"number","value":"1"}}`,
		`{"type":"export","value":{"name":"a","kind":"verdict","value":1}}`,
		`{"type":"export","value":{"name":"a","kind":"time","time":"yesterday"}}`,
		`{"type":"export","value":{"name":"a","kind":"text","text":"` + long + `"}}`,
		`{"type":"export","value":{"name":"a","kind":"number","value":1,"units":"` + long + `"}}`,
		`{"type":"export","value":{"name":"a","kind":"series"}}`,
		`{"type":"export","value":{"name":"a","kind":"series","shape":[2],"n_finite":3,"n_nan":0,"sample":[]}}`,
		`{"type":"export","value":{"name":"a","kind":"series","shape":[9223372036854775807,3],"n_finite":3,"n_nan":0,"sample":[]}}`,
		`{"type":"export","value":{"name":"a","kind":"series","shape":[],"n_finite":1,"n_nan":0,"sample":[]}}`,
		`{"type":"export","value":{"name":"a","kind":"series","shape":[2],"n_finite":2,"n_nan":0,"mean":9,"min":1,"max":2,"std":1,"sample":[]}}`,
		`{"type":"figure","png":"../../etc/passwd","pdf":"x"}`,
		`{"type":"figure","png":"fig_0_2.png","pdf":"fig_0_2.pdf"}`,
		`{"type":"figure","png":"fig_1_1.png","pdf":"fig_1_1.pdf"}`,
		`{"type":"error","exception":"not a name","message":"x"}`,
		`{"type":"load","name":""}`,
		`{"type":"finished","versions":{"other":"1"}}`,
		`{"type":"fontlist","name":"fontlist-v330.json","data":"` + packed("{}") + `"}`,
	} {
		r := Read(0, frames(`{"type":"started"}`, frame))
		if r.Dropped != 1 || len(r.Values)+len(r.Figures)+len(r.Loaded)+len(r.Fonts)+len(r.Versions) != 0 || r.Failure != nil {
			t.Errorf("%.100s gave %+v", frame, r)
		}
	}
}

func TestFontListsCountOnlyBeforeTheScriptRuns(t *testing.T) {
	t.Parallel()
	font := func(name, data string) string {
		return fmt.Sprintf(`{"type":"fontlist","name":%q,"data":%q}`, name, data)
	}
	good := font("fontlist-v330.json", packed(`{"a":1}`))
	if r := Read(0, frames(good, `{"type":"started"}`)); string(r.Fonts["fontlist-v330.json"]) != `{"a":1}` {
		t.Errorf("got %v", r.Fonts)
	}
	for _, bad := range []string{
		font("../x.json", packed(`{}`)),
		font("fontlist-v330.json", packed(`{`)),
		font("fontlist-v330.json", "bm90IHpsaWI="),
		font("fontlist-v330.json", packed(`"`+strings.Repeat("a", maxFonts)+`"`)),
	} {
		if r := Read(0, frames(bad)); r.Fonts != nil || r.Dropped != 1 {
			t.Errorf("%.80s was taken", bad)
		}
	}
}

func TestFontsAreKeptAndOnlyFontsAreLoaded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := SaveFonts(dir, map[string][]byte{"fontlist-v390.json": []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"other.json": "{}", "fontlist-v1.json": "{"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := LoadFonts(dir); len(got) != 1 || string(got["fontlist-v390.json"]) != "{}" {
		t.Errorf("got %v", got)
	}
	if LoadFonts("") != nil || LoadFonts(filepath.Join(dir, "none")) != nil {
		t.Error("fonts from nowhere")
	}
	if err := SaveFonts("", map[string][]byte{"x": nil}); err != nil {
		t.Error(err)
	}
}

func TestExportsAreBounded(t *testing.T) {
	t.Parallel()
	var many []json.RawMessage
	for i := range maxValues + 5 {
		many = append(many, json.RawMessage(fmt.Sprintf(`{"type":"export","value":{"name":"a%d","kind":"number","value":1}}`, i)))
	}
	if r := Read(0, many); len(r.Values) != maxValues || r.Dropped != 5 {
		t.Errorf("kept %d, dropped %d", len(r.Values), r.Dropped)
	}
}

func TestRefusedExportsAreTold(t *testing.T) {
	t.Parallel()
	r := Read(0, frames(
		`{"type":"export","value":{"name":"a","kind":"error","error":"it is\nNaN","repr":"nan\u0007"}}`,
		`{"type":"export","value":{"name":"`+strings.Repeat("n", 150)+`","kind":"number","value":1}}`,
	))
	if len(r.Refused) != 2 || len(r.Values) != 0 {
		t.Fatalf("got %+v", r)
	}
	if got := r.Refused[0]; got.Reason != "it is NaN" || got.Repr != "nan " {
		t.Errorf("got %+v", got)
	}
	if !strings.Contains(r.Refused[1].Reason, "128") {
		t.Errorf("a name that is too long is refused with %q", r.Refused[1].Reason)
	}
}

func TestProgressSpeaksOfFiguresAndValues(t *testing.T) {
	t.Parallel()
	for frame, want := range map[string]string{
		`{"type":"figure","png":"fig_0_1.png","pdf":"fig_0_1.pdf"}`:            "drew fig_0_1.png",
		`{"type":"export","value":{"name":"speed","kind":"number","value":1}}`: "computed speed",
		`{"type":"export","value":{"name":"x","kind":"error","error":"no"}}`:   "",
		`{"type":"started"}`: "",
		`{`:                  "",
		`{"type":"figure","png":"a\u001b[31m","pdf":"b"}`: "",
	} {
		if got := Progress(json.RawMessage(frame)); got != want {
			t.Errorf("%s: got %q, want %q", frame, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"type":"export","value":{"name":"a","kind":"series","shape":[2],"n_finite":1,"n_nan":1,"mean":1,"min":1,"max":1,"std":0,"sample":[1,null]}}`))
	f.Add([]byte(`{"type":"fontlist","name":"fontlist-v330.json","data":"eJyrrgUAAXUA+Q=="}`))
	f.Add([]byte(`{"type":"error","exception":"ValueError","message":"x","line":3,"traceback":"..."}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		r := Read(0, []json.RawMessage{frame, frame})
		Progress(frame)
		for _, v := range r.Values {
			if _, err := json.Marshal(v); err != nil || v.Name == "" {
				t.Errorf("kept %+v: %v", v, err)
			}
		}
		for _, v := range r.Refused {
			if strings.ContainsAny(v.Name+v.Reason+v.Repr, "\n\x00\x1b") {
				t.Errorf("kept %+v", v)
			}
		}
	})
}
