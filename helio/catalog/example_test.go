package catalog_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/catalog"
)

const storms = `start_time,stop_time,dst
2015-03-17T04:45,2015-03-18T12:00,-223
2015-06-22T18:33,2015-06-24T00:00,-204
2017-09-07T20:00,2017-09-09T00:00,-142
`

func ExampleCatalog_Select() {
	c, err := catalog.ReadCSV(strings.NewReader(storms), nil)
	if err != nil {
		panic(err)
	}
	page, err := c.Select(catalog.Query{
		Where: []catalog.Condition{{Column: "dst", Op: catalog.Less, Value: "-150"}},
		Sort:  "dst", Limit: 1,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(page.Filtered, "of", page.Total)
	fmt.Println(page.Events[0].Start, page.Events[0].Values)
	// Output:
	// 2 of 3
	// 2015-03-17T04:45:00Z [-223]
}

func ExampleWindows() {
	c, err := catalog.ReadCSV(strings.NewReader(storms), nil)
	if err != nil {
		panic(err)
	}
	for _, w := range catalog.Windows(c)[:1] {
		w = w.Widen(time.Hour, 0)
		fmt.Println(w.Start, w.Stop, w.Duration())
	}
	fmt.Println(c.Cover().Contains(c.Events[1].Start))
	// Output:
	// 2015-03-17T03:45:00Z 2015-03-18T12:00:00Z 32h15m0s
	// true
}

func ExampleDir() {
	folder, err := os.MkdirTemp("", "catalogs")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	c, err := catalog.ReadCSV(strings.NewReader(storms), nil)
	if err != nil {
		panic(err)
	}
	saved, err := catalog.OpenDir(folder).Save("my_storms", c)
	if err != nil {
		panic(err)
	}
	fmt.Println(saved.ID, saved.Events, saved.Overwritten)
	// Output: local/my_storms 3 false
}

func ExampleMerge() {
	a, err := catalog.ReadCSV(strings.NewReader(storms), nil)
	if err != nil {
		panic(err)
	}
	b, err := catalog.ReadCSV(strings.NewReader("start,stop\n2015-03-17T12:00,2015-03-17T13:00\n"), nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(catalog.Merge(a, b).Events), len(a.Overlapping(b.Cover()).Events), len(a.Apart(b.Cover()).Events))
	// Output: 4 1 2
}
