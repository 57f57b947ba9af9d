package hapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/hapi/hapitest"
	"github.com/helios-go/helios/helio/tt"
)

// example is a server on this machine.
func example() (base string, closed func()) {
	s := httptest.NewServer(hapitest.NewServer(nil))
	return s.URL + "/hapi", s.Close
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func ExampleClient_Fetch() {
	base, closed := example()
	defer closed()
	client := hapi.New(base, nil)
	records := must(client.Fetch(context.Background(), hapi.Query{
		Dataset: "minutes", Parameters: []string{"B_GSE"},
		Start: must(tt.Parse("2023-01-02T00:00Z")), Stop: must(tt.Parse("2023-01-02T00:03Z")),
	}))
	b, _ := records.Column("B_GSE")
	for i, t := range records.Time {
		fmt.Println(t, b.Float[3*i:3*i+3])
	}
	// Output:
	// 2023-01-02T00:00:00Z [3.702 -0.498 -2.685]
	// 2023-01-02T00:01:00Z [3.7 -0.489 -2.689]
	// 2023-01-02T00:02:00Z [3.698 -0.481 -2.693]
}

func ExampleClient_Data() {
	base, closed := example()
	defer closed()
	client := hapi.New(base, nil)
	query := hapi.Query{
		Dataset: "minutes", Parameters: []string{"Magnitude"},
		Start: must(tt.Parse("2023-01-30Z")), Stop: must(tt.Parse("2023-03-02Z")),
	}
	for records, err := range client.Data(context.Background(), query) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(records.Time[0], records.Len())
	}
	// Output:
	// 2023-01-30T00:00:00Z 2880
	// 2023-02-01T00:00:00Z 40320
	// 2023-03-01T00:00:00Z 1440
}

func ExampleClient_Info() {
	base, closed := example()
	defer closed()
	info := must(hapi.New(base, nil).Info(context.Background(), "kinds"))
	spectrum, _ := info.Parameter("spectrum")
	fmt.Println(info.StartDate, info.Cadence, len(info.Parameters))
	fmt.Println(spectrum.Size, spectrum.Units, spectrum.Bins[0].Name, spectrum.Bins[0].Centers[:3])
	// Output:
	// 1970-01-01T00:00:00Z 1s 21
	// [10] [eV] frequency [1 3 5]
}

func ExampleClient_Catalog() {
	base, closed := example()
	defer closed()
	for _, entry := range must(hapi.New(base, nil).Catalog(context.Background()))[:2] {
		fmt.Println(entry.ID, "-", entry.Title)
	}
	// Output:
	// kinds - A parameter of every kind
	// minutes - Magnetic field, 1 min
}

// What was fetched once is there without a network.
func ExampleOptions_offline() {
	base, closed := example()
	dir := must(os.MkdirTemp("", "hapi"))
	defer os.RemoveAll(dir)
	store := must(cache.Open(dir, nil))
	query := hapi.Query{
		Dataset: "minutes", Parameters: []string{"Magnitude"},
		Start: must(tt.Parse("2023-01-02Z")), Stop: must(tt.Parse("2023-01-03Z")),
	}
	must(hapi.New(base, &hapi.Options{Cache: store}).Fetch(context.Background(), query))
	closed()

	offline := hapi.New(base, &hapi.Options{Cache: store, Offline: true})
	fmt.Println(must(offline.Fetch(context.Background(), query)).Len(), "records")
	query.Parameters = []string{"Quality"}
	_, err := offline.Fetch(context.Background(), query)
	if missing, ok := errors.AsType[*hapi.OfflineError](err); ok {
		fmt.Println("missing:", missing.Missing)
	}
	// Output:
	// 1440 records
	// missing: Quality of 2023-01-01T00:00:00Z to 2023-02-01T00:00:00Z
}
