package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
)

// Transcript runs the cells of a file in one kernel and compares what they say
// with what the file says. Lines that start with "> " are a cell; what follows
// is its standard output as it is, its standard error after "! ", and its exit
// code in brackets when it is not 0. Lines that start with "# " are for the reader.
// update writes the file anew.
//
// The kernel has an input named orders and the functions price(id), which knows
// ids 1 to 3, and note(text, level), which answers with its arguments.
func Transcript(t *testing.T, rt repl.Runtime, file string, update bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k, err := rt.Start(context.Background(), transcriptConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	var got strings.Builder
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i := 0; i < len(lines); {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "> ") || line == ">":
			var code []string
			for ; i < len(lines) && strings.HasPrefix(lines[i], ">"); i++ {
				code = append(code, strings.TrimPrefix(strings.TrimPrefix(lines[i], ">"), " "))
				got.WriteString(lines[i] + "\n")
			}
			got.WriteString(said(t, k, strings.Join(code, "\n")))
		case strings.HasPrefix(line, "# ") || line == "":
			got.WriteString(line + "\n")
			i++
		default: // what was said the last time
			i++
		}
	}
	if update {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got.String() != string(data) {
		t.Errorf("%s says something else now; look at the difference after go test -update:\n%s", file, got.String())
	}
}

func said(t *testing.T, k *repl.Kernel, code string) string {
	t.Helper()
	out, err := k.Execute(context.Background(), repl.Cell{Code: code, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString(out.Stdout)
	for line := range strings.Lines(out.Stderr) {
		if strings.Trim(line, " ^~\n") == "" && strings.ContainsAny(line, "^~") {
			continue // which part of a line is marked differs from version to version
		}
		text.WriteString("! " + strings.TrimSuffix(line, "\n") + "\n")
	}
	if out.ExitCode != 0 {
		fmt.Fprintf(&text, "[exit %d]\n", out.ExitCode)
	}
	return text.String()
}

func transcriptConfig() *repl.Config {
	return &repl.Config{
		Inputs:    map[string]json.RawMessage{"orders": json.RawMessage(`[{"id":1,"item":"disk","n":2},{"id":2,"item":"cable","n":10},{"id":3,"item":"disk","n":1}]`)},
		Functions: []repl.Function{{Name: "price", Params: []string{"id"}}, {Name: "note", Params: []string{"text", "level"}}},
		Call: func(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
			if name == "note" {
				return args, nil
			}
			var in struct{ ID int }
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, errors.New("price: id must be a whole number")
			}
			if in.ID < 1 || in.ID > 3 {
				return nil, fmt.Errorf("there is no order %d", in.ID)
			}
			return json.Marshal(float64(in.ID) * 1.5)
		},
	}
}
