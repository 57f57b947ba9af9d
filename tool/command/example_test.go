package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/command"
)

// A grant makes a tool of one program. Here the model may count, and no more.
func ExampleNew() {
	seq, err := command.New(command.Grant{
		Program: "seq",
		Doc:     "Count from one number to another.",
		Effect:  tool.ReadOnly,
		Timeout: 10 * time.Second,
		Check: func(args []string) error {
			if len(args) != 2 {
				return errors.New("give two numbers, first and last")
			}
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, args := range []string{`{"args":["8","10"]}`, `{"args":["--help"]}`} {
		res, err := seq.Run(context.Background(), json.RawMessage(args))
		fmt.Print(res.Text())
		if err != nil {
			fmt.Println("error:", err)
		}
	}
	// Output:
	// [exit 0]
	// 8
	// 9
	// 10
	// error: give two numbers, first and last
}

// The program gets a secret that the model never sees, not even in an encoding
// that was asked for.
func ExampleGrant_secretEnv() {
	curl, err := command.Open(command.Grant{
		Program:   "/bin/sh", // stands for a program that needs a key
		SecretEnv: map[string]secret.Value{"API_KEY": secret.NewValue("hunter2-hunter2")},
		Encodings: []secret.Encoding{secret.Base64},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer curl.Close()
	res, err := curl.Run(context.Background(), command.Input{Args: []string{"-c", `echo "key=$API_KEY"; printf %s "$API_KEY" | base64`}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(res.Stdout)
	fmt.Println(res.Redactions)
	// Output:
	// key=<redacted:API_KEY>
	// <redacted:API_KEY>
	// [{API_KEY 2}]
}

// With Line as its Key, a tool has its command line as the permission key.
func ExampleLine() {
	line, _ := command.Line([]string{"commit", "-m", "fix it"})
	fmt.Println(line)
	// Output: commit -m "fix it"
}
