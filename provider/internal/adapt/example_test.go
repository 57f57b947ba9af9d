package adapt_test

import (
	"encoding/json"
	"fmt"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

func ExampleNames() {
	names := adapt.NewNames([]llm.ToolSpec{{Name: "admin.tools.list"}, {Name: "search"}}, nil, 0)
	fmt.Println(names.Out("admin.tools.list"), names.Out("search"))
	fmt.Println(names.Back("admin_tools_list"))
	// Output:
	// admin_tools_list search
	// admin.tools.list
}

// In strict mode every property is required, and null stands for one that is not
// given.
func ExampleSchema() {
	schema := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`)
	a, err := adapt.Schema(schema, adapt.OpenAIStrict)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", a.JSON)
	fmt.Printf("%s\n", a.Back(json.RawMessage(`{"city": "Bergen", "days": null}`)))
	// Output:
	// {"type":"object","properties":{"city":{"type":"string"},"days":{"type":["integer","null"]}},"required":["city","days"],"additionalProperties":false}
	// {"city": "Bergen"}
}

// A provider that takes no references gets what they lead to, and one that has no
// word for a limit reads of it.
func ExampleSchema_words() {
	schema := json.RawMessage(`{"type":"object","$defs":{"port":{"type":"integer","enum":[80,443]}},"properties":{"port":{"$ref":"#/$defs/port","description":"Where to listen."}}}`)
	a, err := adapt.Schema(schema, adapt.Gemini)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", a.JSON)
	// Output:
	// {"type":"object","properties":{"port":{"type":"integer","description":"Where to listen. (one of 80,443)"}}}
}
