// Package demo holds the demonstration data: a day of solar wind with an
// interplanetary shock, and a crossing of a magnetopause, so that the assistant
// can be tried and tested without a file, a network or a key.
//
//	arch, err := demo.Archive()
//	...
//	s, err := arch.Fetch(ctx, "local/demo_mfi_20230615_v01/Magnitude", tt.Fill, tt.Fill)
//
// The data are synthetic: computed, not measured. The files say so in their
// attributes, every dataset in its Synthetic field. They are made by the program
// in generate; what an analysis of them must find is in truths.json, made with
// them, and a test holds both to each other:
//
//   - demo_mfi_20230615_v01: Magnitude and BGSM every 16 s, with missing samples,
//     a gap, and a shock that satisfies the jump conditions
//   - demo_swe_20230615_v01: Np, Vp, Tp and Vth every 64 s, the same shock
//   - demo_fgm_20230615_v01: BGSE every second across a magnetopause
package demo

import (
	"embed"

	"github.com/helios-go/helios/helio/archive"
)

//go:generate go run ./generate

//go:embed data/*.cdf
var files embed.FS

// Question is what the assistant is asked when nothing else is.
const Question = "In the MFI data, what are the mean and the maximum of the magnetic field magnitude, and when was the maximum? " +
	"What is the minimum Bz GSM, and when? Plot both."

// Archive returns the archive of the demonstration data. It is safe for
// concurrent use.
func Archive() (archive.Archive, error) {
	a, err := archive.OpenFS(files, "synthetic demonstration data")
	if err != nil {
		return nil, err
	}
	return a, nil
}
