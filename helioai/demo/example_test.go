package demo_test

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/demo"
)

func ExampleArchive() {
	arch, err := demo.Archive()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := arch.Fetch(context.Background(), "local/demo_mfi_20230615_v01/Magnitude", tt.Fill, tt.Fill)
	if err != nil {
		fmt.Println(err)
		return
	}
	st := s.Stats(0)
	fmt.Printf("%s: mean %.3f %s, maximum %.3f %s at %v\n", s.Name, st.Mean, s.Units, st.Max, s.Units, st.MaxTime)
	fmt.Println("synthetic:", s.Meta.Synthetic)
	// Output:
	// Magnitude: mean 7.629 nT, maximum 17.710 nT at 2023-06-15T14:30:29Z
	// synthetic: true
}
