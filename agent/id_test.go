package agent_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/helios-go/helios/agent"
)

func TestIDsAreUniqueAndGrow(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 12_500
	all := make([][]string, writers)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for range each {
				all[w] = append(all[w], agent.NewID())
			}
		})
	}
	group.Wait()
	seen := map[string]bool{}
	for _, ids := range all {
		if !slices.IsSorted(ids) {
			t.Error("ids of one goroutine do not grow")
		}
		for _, id := range ids {
			if len(id) != 36 || id[14] != '7' || seen[id] {
				t.Fatalf("id %s: seen before: %t", id, seen[id])
			}
			seen[id] = true
		}
	}
}
