package python_test

import (
	"encoding/json"
	"fmt"

	"github.com/helios-go/helios/helioai/python"
)

func ExampleRead() {
	// What a sandboxed run of a script delivers on its descriptor.
	frames := []json.RawMessage{
		json.RawMessage(`{"type":"started","python":"3.11.2"}`),
		json.RawMessage(`{"type":"export","value":{"name":"speed","kind":"number","value":400,"units":"km/s"}}`),
		json.RawMessage(`{"type":"figure","png":"../../somewhere.png","pdf":"x"}`),
		json.RawMessage(`{"type":"finished","versions":{"python":"3.11.2"}}`),
	}
	report := python.Read(0, frames)
	for _, v := range report.Values {
		fmt.Println(v.Name, v.Value, v.Units)
	}
	fmt.Println(len(report.Figures), "figures,", report.Dropped, "frame dropped")
	// Output:
	// speed 400 km/s
	// 0 figures, 1 frame dropped
}

func ExampleQuote() {
	fmt.Println(python.Quote(`a "b" < c`))
	// Output: "a \"b\" < c"
}
