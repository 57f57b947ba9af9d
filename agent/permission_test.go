package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// path is a tool whose key is its path.
func path(name string, effect tool.Effect, kind tool.Kind) tool.Tool {
	return tool.New(name, "", func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		return name + " " + in.Path, nil
	}, tool.WithEffect(effect), tool.WithKind(kind), tool.WithKey(tool.PathKey("path")))
}

func parse(t testing.TB, texts ...string) []agent.Rule {
	t.Helper()
	var rules []agent.Rule
	for _, text := range texts {
		r, err := agent.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	return rules
}

// Rules say what is always or never allowed, the mode what else is.
func ExamplePermissions() {
	write := tool.New("write", "Write a file", func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		return "written", nil
	}, tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindWrite), tool.WithKey(tool.PathKey("path")))
	model := llmtest.New(
		llmtest.Call("write", `{"path":"src/a.go"}`).And("write", `{"path":"src/../secrets.env"}`).And("write", `{"path":"README.md"}`),
		llmtest.Text("I could write one of three."),
	)
	a := agent.Agent{Model: model, Tools: []tool.Tool{write}, Policy: agent.Permissions{
		Mode:  agent.ModePlan, // look, and change nothing
		Allow: []agent.Rule{{Tool: "write", Key: "src/**"}},
		Deny:  []agent.Rule{{Tool: "*", Key: "**/secrets.*"}},
	}}
	s, err := a.Open(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	s.Run(context.Background(), "Go on.")
	for _, p := range s.History()[2].Parts {
		fmt.Println(p.Result.Text())
	}
	// Output:
	// written
	// denied: the rule *(**/secrets.*) forbids it
	// denied: plan mode forbids tools of kind write
}

// Permissions are read from configuration, and explain themselves.
func ExampleAgent_Explain() {
	var p agent.Permissions
	if err := json.Unmarshal([]byte(`{"mode":"accept_edits","ask":["write(go.mod)"],"deny":["write(.git/**)"]}`), &p); err != nil {
		fmt.Println(err)
		return
	}
	write := tool.New("write", "Write a file", func(context.Context, struct {
		Path string `json:"path"`
	}) (string, error) {
		return "written", nil
	}, tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindWrite), tool.WithKey(tool.PathKey("path")))
	a := agent.Agent{Tools: []tool.Tool{write}, Policy: p}
	for _, path := range []string{"a.go", "./go.mod", ".git/config", "../a.go"} {
		args, _ := json.Marshal(map[string]string{"path": path})
		fmt.Println(a.Explain(context.Background(), "write", args))
	}
	// Output:
	// allow accept_edits mode allows tools of kind write
	// ask the rule write(go.mod) asks about it
	// deny the rule write(.git/**) forbids it
	// deny its permission key cannot be computed: path "../a.go": it leads out of the workspace
}

// The table of modes, kinds and effects.
func TestModesDecideByKindAndEffect(t *testing.T) {
	t.Parallel()
	const modes = 5
	table := map[tool.Kind][modes]agent.Decision{
		tool.KindRead:     {agent.Allow, agent.Allow, agent.Allow, agent.Allow, agent.Deny},
		tool.KindSearch:   {agent.Allow, agent.Allow, agent.Allow, agent.Allow, agent.Deny},
		tool.KindWrite:    {agent.Ask, agent.Allow, agent.Deny, agent.Allow, agent.Deny},
		tool.KindExecute:  {agent.Ask, agent.Ask, agent.Deny, agent.Allow, agent.Deny},
		tool.KindNetwork:  {agent.Ask, agent.Ask, agent.Deny, agent.Allow, agent.Deny},
		tool.KindControl:  {agent.Allow, agent.Allow, agent.Allow, agent.Allow, agent.Deny},
		tool.KindDelegate: {agent.Allow, agent.Allow, agent.Allow, agent.Allow, agent.Deny},
	}
	checked := 0
	for kind := tool.KindDefault; kind <= tool.KindDelegate+1; kind++ { // the last is one that nobody knows
		for _, effect := range []tool.Effect{tool.Unknown, tool.ReadOnly, tool.Idempotent, tool.Mutating, 9} {
			row := table[kind]
			switch {
			case kind > tool.KindDelegate:
				row = table[tool.KindExecute]
			case kind == tool.KindDefault && effect == tool.ReadOnly:
				row = table[tool.KindRead]
			case kind <= tool.KindSearch && effect != tool.ReadOnly:
				row = table[tool.KindExecute] // it says that it reads, but may do more
			case kind == tool.KindDelegate && effect != tool.ReadOnly:
				row[agent.ModePlan] = agent.Ask // so may the sub-agent
			}
			for mode := range agent.Mode(modes) {
				p := agent.Permissions{Mode: mode}
				c := &tool.Call{Name: "t", Kind: kind, Effect: effect}
				got, err := p.Decide(t.Context(), c)
				if got != row[mode] || (err != nil) != (got == agent.Deny) {
					t.Errorf("%s mode, kind %s, effect %s: %s, %v, want %s", mode, kind, effect, got, err, row[mode])
				}
				if d, why := p.Explain(t.Context(), c); d != got || err != nil && err.Error() != why || !strings.Contains(why, mode.String()) {
					t.Errorf("%s mode, kind %s, effect %s: explained as %s, %q; decided as %s, %v", mode, kind, effect, d, why, got, err)
				}
				checked++
			}
		}
	}
	wantEqual(t, "cells", checked, 9*5*modes)
}

func TestTheModeIsReadByName(t *testing.T) {
	t.Parallel()
	for mode, name := range []string{"default", "accept_edits", "plan", "bypass", "locked_down"} {
		data, err := json.Marshal(agent.Permissions{Mode: agent.Mode(mode)})
		if want := `{"mode":"` + name + `"}`; string(data) != want || err != nil {
			t.Errorf("written as %s, %v, want %s", data, err, want)
		}
		var back agent.Permissions
		if err := json.Unmarshal(data, &back); err != nil || back.Mode != agent.Mode(mode) {
			t.Errorf("%s is read as %+v, %v", data, back, err)
		}
	}
	for _, text := range []string{`{"mode":"yolo"}`, `{"mode":""}`, `{"mode":3}`, `{"deny":["write(./x)"]}`, `{"allow":[""]}`} {
		var p agent.Permissions
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s is read as %+v", text, p)
		}
	}
	if _, err := json.Marshal(agent.Permissions{Mode: 9}); err == nil {
		t.Error("a mode that nobody knows is written")
	}
	if got := agent.Mode(9).String(); got != "mode(9)" {
		t.Errorf("it is called %s", got)
	}
}

func TestDenyBeatsEverything(t *testing.T) {
	t.Parallel()
	for mode := range agent.Mode(5) {
		p := agent.Permissions{Mode: mode, Allow: parse(t, "*", "write(**)"), Ask: parse(t, "write"), Deny: parse(t, "write(**/secrets.*)")}
		rest := agent.Ask // a rule that asks is stronger than one that allows
		if mode == agent.ModeBypass {
			rest = agent.Allow
		}
		for key, want := range map[string]agent.Decision{"secrets.env": agent.Deny, "a/secrets.env": agent.Deny, "a/b": rest} {
			d, err := p.Decide(t.Context(), &tool.Call{Name: "write", Key: key, Kind: tool.KindControl, Effect: tool.ReadOnly})
			if d != want || d == agent.Deny && err.Error() != "the rule write(**/secrets.*) forbids it" {
				t.Errorf("%s mode, %s: %s, %v, want %s", mode, key, d, err, want)
			}
		}
	}
}

func TestRulesComeBeforeTheMode(t *testing.T) {
	t.Parallel()
	rules := agent.Permissions{Allow: parse(t, "write(src/**)"), Ask: parse(t, "read(etc/**)", "write(src/x)")}
	for _, tt := range []struct {
		mode      agent.Mode
		name, key string
		want      agent.Decision
	}{
		{agent.ModeDefault, "write", "src/a", agent.Allow},
		{agent.ModeDefault, "write", "src/x", agent.Ask}, // src may be written, but for x
		{agent.ModeDefault, "write", "a", agent.Ask},
		{agent.ModeDefault, "read", "etc/a", agent.Ask},
		{agent.ModeDefault, "read", "a", agent.Allow},
		{agent.ModePlan, "write", "src/a", agent.Allow},
		{agent.ModePlan, "write", "a", agent.Deny},
		{agent.ModeBypass, "read", "etc/a", agent.Allow},
		{agent.ModeLockedDown, "write", "src/a", agent.Allow},
		{agent.ModeLockedDown, "read", "etc/a", agent.Ask},
		{agent.ModeLockedDown, "read", "a", agent.Deny},
	} {
		p := rules
		p.Mode = tt.mode
		c := &tool.Call{Name: tt.name, Key: tt.key, Effect: tool.ReadOnly, Kind: tool.KindRead}
		if tt.name == "write" {
			c.Effect, c.Kind = tool.Mutating, tool.KindWrite
		}
		if got, _ := p.Decide(t.Context(), c); got != tt.want {
			t.Errorf("%s mode, %s(%s): %s, want %s", tt.mode, tt.name, tt.key, got, tt.want)
		}
	}
}

func TestOneKeyIsEnoughToDenyAndAllAreNeededToAllow(t *testing.T) {
	t.Parallel()
	p := agent.Permissions{Mode: agent.ModeLockedDown, Allow: parse(t, "move(src/**)", "move(docs/**)"), Ask: parse(t, "move(**/go.mod)"), Deny: parse(t, "move(**/secrets.*)")}
	for want, keys := range map[agent.Decision][][]string{
		agent.Allow: {{"src/a", "src/b"}, {"src/a", "docs/b"}},
		agent.Ask:   {{"src/go.mod", "src/b"}, {"src/a", "go.mod"}, {"go.mod", "x"}},
		agent.Deny:  {{"src/a", "x"}, {"x", "src/a"}, {"src/a", "src/secrets.env"}, {"src/secrets.env", "src/a"}},
	} {
		for _, k := range keys {
			if got, _ := p.Decide(t.Context(), &tool.Call{Name: "move", Key: k[0], Keys: k}); got != want {
				t.Errorf("move %q: %s, want %s", k, got, want)
			}
		}
	}
}

func TestACallWithoutAKeyIsNotLetThroughByPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		p    agent.Permissions
		want agent.Decision
	}{
		{agent.Permissions{Allow: parse(t, "t(a/**)")}, agent.Ask},
		{agent.Permissions{Allow: parse(t, "t")}, agent.Allow},
		{agent.Permissions{Mode: agent.ModeBypass, Deny: parse(t, "t(a/**)")}, agent.Deny},
		{agent.Permissions{Mode: agent.ModeBypass, Deny: parse(t, "*(a/**)")}, agent.Allow}, // meant for those with keys
	} {
		if got, _ := tt.p.Decide(t.Context(), &tool.Call{Name: "t"}); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.p, got, tt.want)
		}
	}
}

func TestPermissionsThatAreWrongDenyAndDoNotOpen(t *testing.T) {
	t.Parallel()
	keyless := echo("keyless", tool.Mutating)
	keyed := path("keyed", tool.Mutating, tool.KindWrite)
	var none *agent.Permissions
	for want, p := range map[string]agent.Policy{
		"permissions: there is no mode 77":                                  agent.Permissions{Mode: 77},
		`permissions: deny rule "write(./x)": the pattern holds a part`:     agent.Permissions{Mode: agent.ModeBypass, Deny: []agent.Rule{{Tool: "write", Key: "./x"}}},
		`permissions: allow rule "": it names no tool`:                      agent.Permissions{Allow: []agent.Rule{{}}},
		`permissions: ask rule "a b": a tool's name`:                        agent.Strictest(agent.AllowAll(), agent.Permissions{Ask: []agent.Rule{{Tool: "a b"}}}),
		"strictest: policy 2 is nil":                                        agent.Strictest(agent.AllowAll(), nil),
		"the policy panicked":                                               none,
		`permissions: deny rule "keyless(a)": calls of keyless have no key`: &agent.Permissions{Deny: parse(t, "keyless(a)")},
		`permissions: deny rule "keyl*(a)": calls of keyless have no key`:   agent.Strictest(agent.Permissions{Deny: parse(t, "keyl*(a)")}),
	} {
		a := agent.Agent{Model: script(), Tools: []tool.Tool{keyless, keyed}, Policy: p}
		s, err := a.Open(t.Context(), nil)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("open: %v, want %q", err, want)
		}
		if d, why := a.Explain(t.Context(), "keyed", []byte(`{"path":"a"}`)); d != agent.Deny {
			t.Errorf("%s: explained as %s, %s", want, d, why)
		}
		if strings.Contains(want, "no key") || p == agent.Policy(none) || strings.Contains(want, "nil") {
			continue
		}
		if d, err := p.Decide(t.Context(), &tool.Call{Name: "keyed", Effect: tool.ReadOnly}); d != agent.Deny || err == nil {
			t.Errorf("%s: decided as %s, %v", want, d, err)
		}
	}
	fine := agent.Permissions{Deny: parse(t, "key*(a)", "*(b)", "absent(c)", "keyless")}
	if err := (agent.Permissions{}).Check(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
	s, err := agent.Agent{Model: script(), Tools: []tool.Tool{keyless, keyed}, Policy: fine}.Open(t.Context(), nil)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	s.Close()
}

func TestAKeyThatIsTooLongToCheckIsDenied(t *testing.T) {
	t.Parallel()
	p := agent.Permissions{Mode: agent.ModeBypass, Deny: parse(t, "t(x)")}
	for n, want := range map[int]agent.Decision{64 << 10: agent.Allow, 64<<10 + 1: agent.Deny} {
		key := strings.Repeat("a", n)
		if got, _ := p.Decide(t.Context(), &tool.Call{Name: "t", Key: key}); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
		if got, _ := p.Decide(t.Context(), &tool.Call{Name: "t", Key: "a", Keys: []string{"a", key}}); got != want {
			t.Errorf("%d bytes, second: %s, want %s", n, got, want)
		}
	}
}

func drawRules(t *rapid.T, what string) []agent.Rule {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) agent.Rule {
		return agent.Rule{
			Tool: rapid.SampledFrom([]string{"*", "a", "b", "a*", "?"}).Draw(t, "tool"),
			Key:  rapid.SampledFrom([]string{"", "**", "x", "*", "x/**", "**/y", "x/*"}).Draw(t, "key"),
		}
	}), 0, 4).Draw(t, what)
}

func drawPermissions(t *rapid.T) agent.Permissions {
	return agent.Permissions{
		Mode:  agent.Mode(rapid.IntRange(0, 5).Draw(t, "mode")),
		Allow: drawRules(t, "allow"), Ask: drawRules(t, "ask"), Deny: drawRules(t, "deny"),
	}
}

func drawCall(t *rapid.T) *tool.Call {
	key := rapid.SampledFrom([]string{"", "x", "y", "x/y", "x/z/y", "."})
	c := &tool.Call{
		Name: rapid.SampledFrom([]string{"a", "b", "ab"}).Draw(t, "name"), Key: key.Draw(t, "key"),
		Kind:   tool.Kind(rapid.IntRange(0, 8).Draw(t, "kind")),
		Effect: tool.Effect(rapid.IntRange(0, 3).Draw(t, "effect")),
	}
	if more := rapid.SliceOfN(key, 0, 2).Draw(t, "more"); len(more) > 0 {
		c.Keys = append([]string{c.Key}, more...)
	}
	return c
}

// leniency orders decisions by what they let happen.
func leniency(d agent.Decision) int {
	return slices.Index([]agent.Decision{agent.Deny, agent.Ask, agent.Allow}, d)
}

func TestMoreDenyRulesNeverAllowMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPermissions(t), drawCall(t)
		before, _ := p.Decide(t.Context(), c)
		p.Deny = append(slices.Clone(p.Deny), drawRules(t, "more deny")...)
		if after, _ := p.Decide(t.Context(), c); leniency(after) > leniency(before) {
			t.Fatalf("%s became %s", before, after)
		}
	})
}

func TestMoreKeysNeverAllowMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPermissions(t), drawCall(t)
		p.Ask, p.Mode = nil, agent.ModeLockedDown // where asking is not the more lenient answer
		before, _ := p.Decide(t.Context(), c)
		if len(c.Keys) == 0 {
			c.Keys = []string{c.Key}
		}
		c.Keys = append(c.Keys, drawCall(t).Key)
		if after, _ := p.Decide(t.Context(), c); leniency(after) > leniency(before) {
			t.Fatalf("%s became %s", before, after)
		}
	})
}

func TestTheOrderOfRulesDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, c := drawPermissions(t), drawCall(t)
		before, _ := p.Decide(t.Context(), c)
		seed := rapid.Uint64().Draw(t, "seed")
		for _, rules := range []*[]agent.Rule{&p.Allow, &p.Ask, &p.Deny} {
			*rules = slices.Clone(*rules)
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(*rules), func(i, j int) { (*rules)[i], (*rules)[j] = (*rules)[j], (*rules)[i] })
		}
		if after, _ := p.Decide(t.Context(), c); after != before {
			t.Fatalf("%s became %s", before, after)
		}
	})
}

func TestAnExplanationDecidesAsThePolicyDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var policies []agent.Policy
		for range rapid.IntRange(0, 3).Draw(t, "policies") {
			policies = append(policies, drawPermissions(t))
		}
		p, c := agent.Strictest(policies...).(agent.Explainer), drawCall(t)
		d, err := p.Decide(t.Context(), c)
		explained, why := p.Explain(t.Context(), c)
		if explained != d || why == "" || err != nil && err.Error() != why {
			t.Fatalf("decided %s, %v; explained %s, %q", d, err, explained, why)
		}
	})
}

func TestExplainTellsWithoutRunning(t *testing.T) {
	t.Parallel()
	boom := tool.New("boom", "", func(context.Context, struct{}) (string, error) { panic("it ran") }, tool.WithEffect(tool.ReadOnly))
	broken := tool.New("broken", "", func(context.Context, struct{}) (string, error) { return "", nil },
		tool.WithKey(func(json.RawMessage) (string, error) { panic("no key") }))
	for _, tt := range []struct {
		policy     agent.Policy
		name, args string
		want       string
	}{
		{nil, "boom", `{}`, "allow without a policy, what only reads and sub-agents are allowed"},
		{nil, "write", `{"path":"a"}`, "ask without a policy, what may do more than read is asked about"},
		{agent.AllowAll(), "write", `{"path":"a"}`, "allow the policy allows it"},
		{agent.AllowTools("boom"), "write", `{"path":"a"}`, "ask the policy asks about it"},
		{agent.PolicyFunc(func(context.Context, *tool.Call) (agent.Decision, error) { return 9, nil }), "boom", ``, "deny the policy forbids it"},
		{agent.PolicyFunc(func(context.Context, *tool.Call) (agent.Decision, error) { panic("x") }), "boom", ``, "deny the policy failed"},
		{agent.Strictest(), "boom", ``, "ask no policy allows it"},
		{agent.Strictest(agent.AllowAll(), agent.Permissions{}), "boom", ``, "allow all policies allow it"},
		{agent.Strictest(agent.AllowAll(), agent.Permissions{Mode: agent.ModePlan}), "write", `{"path":"a"}`, "deny plan mode forbids tools of kind write"},
		{agent.Permissions{Mode: agent.ModeBypass}, "write", `{"path":"a"}`, "allow bypass mode allows it"},
		{agent.Permissions{}, "odd", `{}`, "ask default mode asks about tools that are not known to only read"},
		{agent.Permissions{}, "wrte", `{}`, `deny there is no tool "wrte"; did you mean "write"?`},
		{agent.Permissions{}, "write", `{"pth":"a"}`, `deny invalid arguments for write: path is required but missing; pth is unknown; did you mean "path"?`},
		{agent.Permissions{}, "broken", ``, "deny its permission key cannot be computed: it panicked: no key"},
	} {
		a := agent.Agent{Policy: tt.policy, Tools: []tool.Tool{boom, broken, path("write", tool.Mutating, tool.KindWrite), path("odd", tool.Idempotent, tool.KindSearch)}}
		if tt.name == "odd" {
			tt.args = `{"path":"a"}`
		}
		d, why := a.Explain(t.Context(), tt.name, json.RawMessage(tt.args))
		if got := d.String() + " " + why; got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestOneFileUnderAnyNameIsDenied(t *testing.T) {
	t.Parallel()
	links := map[string]string{"notes/link": "secrets.env"} // as a workspace would resolve them
	read := tool.New("read", "", func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		return "read " + in.Path, nil
	}, tool.WithEffect(tool.ReadOnly), tool.WithKeys(func(args json.RawMessage) ([]string, error) {
		key, err := tool.PathKey("path")(args)
		if to := links[key]; err == nil && to != "" {
			return []string{key, to}, nil
		}
		return []string{key}, err
	}))
	a := agent.Agent{Tools: []tool.Tool{read}, Policy: agent.Permissions{Mode: agent.ModeBypass, Deny: parse(t, "*(**/secrets.*)")}}
	forbidden := "denied: the rule *(**/secrets.*) forbids it"
	for name, want := range map[string]string{
		"secrets.env": forbidden, "./secrets.env": forbidden, "a/../secrets.env": forbidden, "b//secrets.txt": forbidden,
		"notes/link": forbidden, "notes/./link": forbidden,
		"notes/other": "read notes/other", "secrets/a": "read secrets/a",
		"../secrets.env": `denied: its permission key cannot be computed: path "../secrets.env": it leads out of the workspace`,
		"/secrets.env":   `denied: its permission key cannot be computed: path "/secrets.env": it is absolute; write it relative to the workspace`,
	} {
		args, _ := json.Marshal(map[string]string{"path": name})
		wantTexts(t, oneTurn(t, a, nil, llmtest.Call("read", string(args))).ended(), want)
	}
}

// A hook of any place in the order cannot get around the permissions: they see what
// the last one leaves.
func TestARewriteIsDecidedOnWhatItLeaves(t *testing.T) {
	t.Parallel()
	to := func(name string) agent.Hook {
		return agent.Hook{Name: "to " + name, BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
			return agent.ToolVerdict{Args: json.RawMessage(`{"path":"` + name + `"}`)}, nil
		}}
	}
	boom := agent.Hook{Name: "boom", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) { panic("x") }}
	meddle := agent.Hook{Name: "meddle", BeforeTool: func(_ context.Context, _ agent.Moment, c *tool.Call) (agent.ToolVerdict, error) {
		c.Name, c.Key, c.Effect, c.Kind = "read", "a", tool.ReadOnly, tool.KindRead
		return agent.ToolVerdict{}, nil
	}}
	for _, tt := range []struct {
		hooks []agent.Hook
		want  string
	}{
		{nil, "write a"},
		{[]agent.Hook{to("./b")}, "write ./b"},
		{[]agent.Hook{to("x/../secrets.env")}, "denied: the rule write(**/secrets.*) forbids it"},
		{[]agent.Hook{to("secrets.env"), to("b")}, "write b"},
		{[]agent.Hook{to("b"), to("secrets.env")}, "denied: the rule write(**/secrets.*) forbids it"},
		{[]agent.Hook{boom, to("b")}, "denied: hook boom panicked: x"},
		{[]agent.Hook{to("b"), boom}, "denied: hook boom panicked: x"},
		{[]agent.Hook{to("secrets.env"), meddle}, "denied: the rule write(**/secrets.*) forbids it"},
	} {
		a := agent.Agent{Tools: []tool.Tool{path("write", tool.Mutating, tool.KindWrite)}, Hooks: tt.hooks,
			Policy: agent.Permissions{Mode: agent.ModeAcceptEdits, Deny: parse(t, "write(**/secrets.*)", "read(secrets.env)")}}
		wantTexts(t, oneTurn(t, a, nil, llmtest.Call("write", `{"path":"a"}`)).ended(), tt.want)
	}
}

func TestAKeyFunctionThatFailsDenies(t *testing.T) {
	t.Parallel()
	for want, keys := range map[string]func(json.RawMessage) ([]string, error){
		"it panicked: oops": func(json.RawMessage) ([]string, error) { panic("oops") },
		"there is none":     func(json.RawMessage) ([]string, error) { return nil, nil },
	} {
		broken := tool.New("t", "", func(context.Context, struct{}) (string, error) { return "ran", nil }, tool.WithEffect(tool.ReadOnly), tool.WithKeys(keys))
		b := oneTurn(t, agent.Agent{Tools: []tool.Tool{broken}, Policy: agent.AllowAll()}, nil, llmtest.Call("t", ``))
		wantTexts(t, b.ended(), "denied: its permission key cannot be computed: "+want)
	}
}

func TestADenialNamesNoOtherRule(t *testing.T) {
	t.Parallel()
	p := agent.Permissions{Mode: agent.ModePlan, Allow: parse(t, "write(hidden-allow/**)"), Ask: parse(t, "write(hidden-ask/**)"), Deny: parse(t, "write(hidden-deny/**)", "write(b)")}
	a := agent.Agent{Tools: []tool.Tool{path("write", tool.Mutating, tool.KindWrite)}, Policy: p}
	b := oneTurn(t, a, nil, llmtest.Call("write", `{"path":"a"}`).And("write", `{"path":"b"}`))
	wantTexts(t, b.ended(), "denied: plan mode forbids tools of kind write", "denied: the rule write(b) forbids it")
	wantEqual(t, "outcome", b.ended()[0].Outcome, agent.OutcomeDenied)
}

// hideWrite takes a tool out of the requests of the turns that it is given.
func hideWrite(turns ...int) agent.Hook {
	return agent.Hook{Name: "hide", BeforeModel: func(_ context.Context, at agent.Moment, req *llm.Request) (agent.ModelVerdict, error) {
		if slices.Contains(turns, at.Turn) {
			req.Tools = slices.DeleteFunc(req.Tools, func(s llm.ToolSpec) bool { return s.Name == "write" })
		}
		return agent.ModelVerdict{}, nil
	}}
}

func TestAToolThatIsNotOnOfferIsRefused(t *testing.T) {
	t.Parallel()
	watch := agent.Hook{Name: "watch", BeforeModel: func(context.Context, agent.Moment, *llm.Request) (agent.ModelVerdict, error) {
		return agent.ModelVerdict{}, nil
	}}
	m := script(
		llmtest.Call("write", `{"text":"1"}`).And("read", `{}`).And("none", `{}`),
		llmtest.Call("write", `{"text":"2"}`),
		llmtest.Text("done"),
	)
	a := agent.Agent{Model: m, Policy: agent.AllowAll(), Tools: []tool.Tool{echo("read", tool.ReadOnly), echo("write", tool.Mutating)}, Hooks: []agent.Hook{hideWrite(1), watch}}
	b := open(t, a, nil)
	b.ask("go")
	wantTexts(t, b.ended(), "denied: write is not on offer in this turn", `there is no tool "none"; there are read`, "read:", "write:2")
	var offered []string
	for _, req := range m.Requests() {
		offered = append(offered, fmt.Sprint(len(req.Tools)))
	}
	wantEqual(t, "tools on offer", strings.Join(offered, " "), "1 2 2")
	fired := pick[*agent.HookFired](b.log())
	if len(fired) != 1 || fired[0].Hook != "hide" || fired[0].Verdict != "hide" || !slices.Equal(fired[0].Tools, []string{"write"}) {
		t.Errorf("fired: %+v", fired)
	}
}

func TestStrictestDeniesWhatNobodyUnderstands(t *testing.T) {
	t.Parallel()
	odd := agent.PolicyFunc(func(context.Context, *tool.Call) (agent.Decision, error) { return 77, nil })
	if d, err := agent.Strictest(agent.AllowAll(), odd).Decide(t.Context(), &tool.Call{}); d != agent.Deny || err != nil {
		t.Errorf("decided as %s, %v", d, err)
	}
}
