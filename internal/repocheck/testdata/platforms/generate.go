//go:build ignore

package main

import "net/http"

func main() { http.ListenAndServe(":0", nil) }
