package cdf_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

// exampleFile stands for a file on disk: one minute of a magnetic field.
func exampleFile() *bytes.Reader {
	start, err := tt.Parse("2024-05-11T02:14:00Z")
	if err != nil {
		log.Fatal(err)
	}
	b, err := cdftest.File{
		Globals: []cdftest.Attribute{{Name: "TITLE", Values: []any{"A magnetometer"}}},
		Variables: []cdftest.Variable{
			{Name: "Epoch", Type: cdf.TT2000, Values: []tt.Time{start, start + 20e9, start + 40e9}},
			{Name: "B", Type: cdf.Real4, Dims: []int{3}, Compression: cdf.GZIP,
				Values: []float64{1, 2, -3, 1.5, 2, -3.5, -1e31, -1e31, -1e31},
				Attributes: []cdftest.Attribute{
					{Name: "DEPEND_0", Values: []any{"Epoch"}},
					{Name: "UNITS", Values: []any{"nT"}},
					{Name: "LABL_PTR_1", Values: []any{"B_label"}},
					{Name: "FILLVAL", Values: []any{float32(-1e31)}},
				}},
			{Name: "B_label", Type: cdf.Char, Dims: []int{3}, NoRecordVariance: true, Values: []string{"Bx", "By", "Bz"}},
		},
	}.Bytes()
	if err != nil {
		log.Fatal(err)
	}
	return bytes.NewReader(b)
}

func Example() {
	r := exampleFile()
	f, err := cdf.New(r, r.Size()) // or cdf.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	b, ok := f.Variable("B")
	if !ok {
		fmt.Println("no variable B")
		return
	}
	values, err := b.Float64s()
	if err != nil {
		fmt.Println(err)
		return
	}
	axis, err := b.TimeAxis()
	if err != nil {
		fmt.Println(err)
		return
	}
	times, err := axis.Times()
	if err != nil {
		fmt.Println(err)
		return
	}
	units, err := b.Units()
	if err != nil {
		fmt.Println(err)
		return
	}
	fill := b.FillValue()[0]
	for i, at := range times {
		if v := values[3*i : 3*i+3]; v[0] != fill {
			fmt.Println(at, v, units)
		}
	}
	// Output:
	// 2024-05-11T02:14:00Z [1 2 -3] nT
	// 2024-05-11T02:14:20Z [1.5 2 -3.5] nT
}

func ExampleFile_Variables() {
	r := exampleFile()
	f, err := cdf.New(r, r.Size())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.GlobalString("TITLE"))
	for _, v := range f.Variables() {
		labels, err := v.Labels()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v.Name, v.Type, v.Dims, v.Records, v.Compression, labels)
	}
	// Output:
	// A magnetometer
	// Epoch CDF_TIME_TT2000 [] 3 none [Epoch]
	// B CDF_REAL4 [3] 3 gzip [Bx By Bz]
	// B_label CDF_CHAR [3] 1 none [B_label_1 B_label_2 B_label_3]
}

func ExampleVariable_Range() {
	r := exampleFile()
	f, err := cdf.New(r, r.Size())
	if err != nil {
		log.Fatal(err)
	}
	b, _ := f.Variable("B")
	second, err := b.Range(1, 1).Float64s()
	fmt.Println(second, err)
	_, err = b.Range(2, 5).Float64s()
	fmt.Println(err)
	// Output:
	// [1.5 2 -3.5] <nil>
	// read 5 records of "B" from 2 on: there are 3 records
}

func ExampleOpen() {
	_, err := cdf.Open("absent.cdf")
	fmt.Println(err != nil)
	_, err = cdf.Open("example_test.go")
	fmt.Println(err)
	// Output:
	// true
	// open CDF "example_test.go": not a CDF: it begins with "pack"
}
