package sandbox_test

import (
	"context"
	"fmt"
	"os"

	"github.com/helios-go/helios/sandbox"
)

// In a test, TestMain calls Init; in a program, main does, before all else.
// This example has no output that a test could compare: on a host that allows
// no user namespaces it prints why.
func Example() { //nolint:testableexamples // see above
	ctx := context.Background()
	box, err := sandbox.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	const code = `
import json, os
import numpy as np

b = np.array([3.0, 4.0, 12.0])
np.savez("field.npz", b=b)
with open(int(os.environ["HELIOS_RESULT_FD"]), "wb") as out:
    data = json.dumps({"name": "b", "value": float(np.linalg.norm(b)), "units": "nT"}).encode()
    out.write(len(data).to_bytes(4, "big") + data)
`
	res, err := box.Run(ctx, &sandbox.Job{
		Files: map[string][]byte{"main.py": []byte(code)},
		Main:  "main.py",
		Dir:   dir,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range res.Frames {
		fmt.Printf("%s\n", f) // {"name": "b", "value": 13.0, "units": "nT"}
	}
	fmt.Println(res.Changed) // [field.npz]
}

// The reason and the remedy are one sentence each, to be shown as they are.
func ExampleUnavailable() {
	err := &sandbox.Unavailable{
		Reason: "bubblewrap, which confines programs, is not installed",
		Remedy: "install it with `sudo apt-get install -y bubblewrap`",
	}
	fmt.Println(err)
	// Output:
	// open the sandbox: bubblewrap, which confines programs, is not installed; install it with `sudo apt-get install -y bubblewrap`
}
