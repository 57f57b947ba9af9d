package check_test

import (
	"encoding/json"
	"fmt"

	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/ledger"
)

func ExampleAnswer() {
	verdict := check.Answer(check.Input{
		Question: "How strong was the field on 2023-01-02, and how often was Bz below -3 nT?",
		Answer: "On 2023-01-02 the mean field was 3.67 nT, its maximum 6.1 nT. " +
			"Bz was below -3 nT for 5 of 720 minutes.",
		Claims: []check.Claim{
			{Name: "field_mean", Value: json.Number("3.67"), Units: "nT"},
			{Name: "field_max", Value: json.Number("6.1"), Units: "nT"},
		},
		Entries: []ledger.Entry{
			ledger.NewNumber("field_mean", 3.6705, "nT", ledger.Origin{Code: "code_0.py"}),
			ledger.NewNumber("field_max", 5.2612, "nT", ledger.Origin{Code: "code_0.py"}),
			ledger.NewCount("minutes_below", 5, "", ledger.Origin{Code: "code_1.py"}),
			ledger.NewCount("minutes", 720, "", ledger.Origin{Code: "code_1.py"}),
		},
	})
	for _, l := range verdict.Claims {
		fmt.Printf("%-12s %s (ledger: %s %s)\n", l.Status, l.Text, l.Ledger, l.LedgerUnits)
	}
	for _, l := range verdict.Numbers {
		fmt.Printf("%-12s %s\n", l.Status, l.Text)
	}
	fmt.Println(verdict.Summary())
	// Output:
	// contradicted field_max = 6.1 nT (ledger: 5.2612 nT)
	// matched      field_mean = 3.67 nT (ledger: 3.6705 nT)
	// given        2023-01-02
	// given        -3 nT
	// matched      5
	// matched      720 minutes
	// 3 matched, 1 contradicted, 2 given; field_max = 6.1 nT against field_max 5.2612 nT
}

func ExampleVerdict_AllMatched() {
	in := check.Input{
		Answer:  "It was strongest at 03:41.",
		Entries: []ledger.Entry{ledger.NewText("strongest", "2023-01-02T03:41:01Z", ledger.Origin{})},
	}
	fmt.Println(check.Answer(in).AllMatched())
	in.Answer = "It was strongest at 04:00."
	fmt.Println(check.Answer(in).AllMatched())
	// Output:
	// true
	// false
}
