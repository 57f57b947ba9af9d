package cache_test

import (
	"fmt"
	"os"

	"github.com/helios-go/helios/helio/cache"
)

func Example() {
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	c, err := cache.Open(dir, nil)
	if err != nil {
		panic(err)
	}
	key := cache.Key{Server: "archive.example", Dataset: "AC_H0_MFI", Parameter: "Magnitude", Chunk: "2023-01-02"}
	if err := c.Put(key, cache.Meta{Modified: "2023-02-01T00:00:00Z"}, []byte("3.495")); err != nil {
		panic(err)
	}
	body, meta, ok, err := c.Get(key)
	fmt.Println(string(body), meta.Modified, ok, err)
	// Output: 3.495 2023-02-01T00:00:00Z true <nil>
}
