// Package platforms imports something on one platform only, and has a program
// beside it that is not part of it.
package platforms

import "fmt"

func Hello() { fmt.Println("hello") }
