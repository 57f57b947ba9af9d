package offline

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	c := newCatalog(smallInventory())
	r := rand.New(rand.NewSource(1))
	var noise strings.Builder
	for noise.Len() < maxQuestion-10 {
		fmt.Fprintf(&noise, "%c%c%c%c%c%c ", 'a'+r.Intn(26), 'a'+r.Intn(26), 'a'+r.Intn(26), 'a'+r.Intn(26), 'a'+r.Intn(26), 'a'+r.Intn(26))
	}
	for _, test := range []struct{ name, text string }{
		{"usual", "What are the mean and the maximum of the field magnitude, and when was the maximum reached?"},
		{"longest", strings.Repeat("mean B, ", maxQuestion/8)},
		{"noise", noise.String()},
		{"digits", strings.Repeat("1 ", maxQuestion/2)},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read(test.text, "", c)
			}
		})
	}
}
