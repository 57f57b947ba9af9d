package agenttest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/tool"
)

// What [TestStore] says about listing and purging.

func listTells(t *testing.T, st agent.Store) {
	open := func(id, user, parent string, at time.Duration) {
		opened := &agent.SessionOpened{Agent: "a", User: user}
		if parent != "" {
			opened.Parent = &agent.Parent{Session: parent}
		}
		post(t, st, id, agent.Event{Time: moment.Add(at), Data: opened})
	}
	open("idle", "ada", "", 0)
	open("ready", "bob", "", time.Second)
	post(t, st, "ready", agent.Event{Time: moment.Add(time.Second), Data: said("x").Data})
	open("child", "ada", "ready", 2*time.Second)
	l := acquire(t, st, "child", "me", time.Minute)
	if _, err := st.Append(t.Context(), l, []agent.Event{{Time: moment.Add(3 * time.Second), Run: "r", Data: &agent.RunStarted{}}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		f    agent.Filter
		want string
	}{
		{agent.Filter{}, "[child:running ready:ready idle:idle]"},
		{agent.Filter{States: []agent.SessionState{agent.StateReady, agent.StateIdle}}, "[ready:ready idle:idle]"},
		{agent.Filter{User: "ada"}, "[child:running idle:idle]"},
		{agent.Filter{Agent: "b"}, "[]"},
		{agent.Filter{Prefix: "re"}, "[ready:ready]"},
		{agent.Filter{Prefix: "%"}, "[]"},
		{agent.Filter{Top: true}, "[ready:ready idle:idle]"},
		{agent.Filter{Limit: 1}, "[child:running]"},
	} {
		got := []string{}
		for _, i := range infos(t, st, tt.f) {
			got = append(got, i.ID+":"+string(i.State))
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("list %+v = %v, want %s", tt.f, got, tt.want)
		}
	}
	// Activity counts, not age.
	post(t, st, "idle", agent.Event{Time: moment.Add(4 * time.Second), Data: &agent.Custom{Name: "x"}})
	if first := infos(t, st, agent.Filter{Limit: 1}); len(first) != 1 || first[0].ID != "idle" {
		t.Errorf("the latest activity is that of %+v", first)
	}
	child := infos(t, st, agent.Filter{Prefix: "child"})[0]
	if !child.Leased(time.Now()) || child.Parent != "ready" || child.Seq != 2 || !child.Active.Equal(moment.Add(3*time.Second)) || !child.Created.Equal(moment.Add(2*time.Second)) {
		t.Errorf("child = %+v", child)
	}
	if ready := infos(t, st, agent.Filter{Prefix: "ready"})[0]; ready.Pending != 1 || ready.User != "bob" {
		t.Errorf("ready = %+v", ready)
	}
}

// listFilters holds every combination of filters to [agent.Filter.Match].
func listFilters(t *testing.T, st agent.Store) {
	n := 0
	for _, id := range []string{"ab", "a_", "A_", "a-", "b"} {
		for _, user := range []string{"ada", "Ada", ""} {
			opened := &agent.SessionOpened{Agent: []string{"one", "two"}[n%2], User: user}
			if n%3 == 0 {
				opened.Parent = &agent.Parent{Session: "b"}
			}
			events := []agent.Event{{Time: moment.Add(time.Duration(n*7%15) * time.Second), Data: opened}}
			if n%4 == 0 {
				events = append(events, agent.Event{Time: events[0].Time, Data: said("x").Data})
			}
			post(t, st, fmt.Sprint(id, n), events...)
			n++
		}
	}
	all := infos(t, st, agent.Filter{})
	if len(all) != n || !slices.IsSortedFunc(all, func(a, b agent.SessionInfo) int { return b.Active.Compare(a.Active) }) {
		t.Fatalf("%d sessions, want %d, the latest first: %+v", len(all), n, all)
	}
	for _, prefix := range []string{"", "a", "a_", "A", "a%", "ab0", "ab00"} {
		for _, user := range []string{"", "ada"} {
			for _, name := range []string{"", "one"} {
				for _, states := range [][]agent.SessionState{nil, {agent.StateIdle}, {agent.StateReady, agent.StateRunning}} {
					for top := range 2 {
						f := agent.Filter{States: states, User: user, Agent: name, Prefix: prefix, Top: top == 1}
						sameInfos(t, st, f, all)
						f.Limit = 2
						sameInfos(t, st, f, all)
					}
				}
			}
		}
	}
}

func sameInfos(t *testing.T, st agent.Store, f agent.Filter, all []agent.SessionInfo) {
	t.Helper()
	var want []string
	for i := range all {
		if f.Match(&all[i]) && (f.Limit == 0 || len(want) < f.Limit) {
			want = append(want, all[i].ID)
		}
	}
	var got []string
	for _, info := range infos(t, st, f) {
		got = append(got, info.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("list %+v = %v, want %v", f, got, want)
	}
}

func purgeIdle(t *testing.T, st agent.Store) {
	cutoff := moment.Add(time.Minute)
	for _, id := range []string{"old", "new", "just", "leased", "waiting", "running", "asking", "left"} {
		at := moment
		switch id {
		case "new":
			at = moment.Add(time.Hour)
		case "just":
			at = cutoff // activity since then
		}
		post(t, st, id, agent.Event{Time: at, Data: &agent.SessionOpened{Agent: "a"}})
	}
	post(t, st, "waiting", said("x"))
	run := agent.Event{Time: moment, Run: "r", Data: &agent.RunStarted{}}
	post(t, st, "running", run)
	post(t, st, "asking", run, agent.Event{Time: moment, Run: "r", Data: &agent.QuestionAsked{Question: &tool.Question{ID: "q", Text: "?"}}})
	acquire(t, st, "left", "me", time.Nanosecond) // its owner is gone
	time.Sleep(time.Millisecond)
	acquire(t, st, "leased", "me", time.Minute)
	n, err := st.Purge(t.Context(), cutoff)
	if err != nil || n != 2 {
		t.Errorf("purge = %d, %v; want 2", n, err)
	}
	left := map[string]int{}
	for _, info := range infos(t, st, agent.Filter{}) {
		left[info.ID] = len(log(t, st, info.ID))
	}
	if got := fmt.Sprint(left); got != "map[asking:3 just:1 leased:1 new:1 running:2 waiting:2]" {
		t.Errorf("the events that are left are %s", got)
	}
	if len(log(t, st, "old")) != 0 {
		t.Error("the events of a purged session are still there")
	}
	if seq := post(t, st, "old", said("again")); seq != 1 {
		t.Errorf("a purged session begins at seq %d", seq)
	}
}
