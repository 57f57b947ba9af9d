package archive_test

import (
	"context"
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
)

func wind() fstest.MapFS {
	return fstest.MapFS{"wind.csv": {Data: []byte(`# mission: Wind
time,Bx_GSM (nT),By_GSM (nT),Bz_GSM (nT),V (km/s)
2023-01-02T03:41:00Z,1.0,-2.5,4.0,401
2023-01-02T03:41:16Z,1.5,-2.0,-4.5,404
2023-01-02T03:41:32Z,1.0,-2.0,-3.0,
`)}}
}

func ExampleLocal_Inventory() {
	arch, err := archive.OpenFS(wind(), "wind data")
	if err != nil {
		fmt.Println(err)
		return
	}
	datasets, err := arch.Inventory(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range datasets {
		fmt.Println(d.ID, d.Mission, d.Start, d.Stop, d.Cadence)
		for _, p := range d.Parameters {
			fmt.Println(" ", p.ID, p.Units, p.Columns, p.Frame)
		}
	}
	// Output:
	// wind Wind 2023-01-02T03:41:00Z 2023-01-02T03:41:32Z 16s
	//   local/wind/B_GSM nT [Bx_GSM By_GSM Bz_GSM] GSM
	//   local/wind/V km/s [V]
}

func ExampleLocal_Fetch() {
	arch, err := archive.OpenFS(wind(), "wind data")
	if err != nil {
		fmt.Println(err)
		return
	}
	from, _ := tt.Parse("2023-01-02T03:41:10")
	s, err := arch.Fetch(context.Background(), "local/wind/B_GSM", from, tt.Fill)
	if err != nil {
		fmt.Println(err)
		return
	}
	bz := s.Stats(2)
	fmt.Println(s.Len(), "records, lowest Bz", bz.Min, s.Units, "at", bz.MinTime)
	// Output: 2 records, lowest Bz -4.5 nT at 2023-01-02T03:41:16Z
}

func ExampleOpenLocal() {
	_, err := archive.OpenLocal([]string{"no-such-file.csv"})
	if missing, ok := errors.AsType[*archive.MissingError](err); ok {
		fmt.Println("give a file that is there instead of", missing.Path)
	}
	// Output: give a file that is there instead of no-such-file.csv
}

func ExampleUnknownError() {
	arch, err := archive.OpenFS(wind(), "wind data")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = arch.Fetch(context.Background(), "local/wind/B_GSE", tt.Fill, tt.Fill)
	fmt.Println(err)
	// Output: there is no parameter "local/wind/B_GSE"; the nearest are local/wind/B_GSM
}

func ExampleJoinID() {
	fmt.Println(archive.JoinID("intermagnet", "ABK/best-avail", "Field Vector"))
	// Output: intermagnet/ABK%2Fbest-avail/Field%20Vector
}
