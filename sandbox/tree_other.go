//go:build !linux

package sandbox

import (
	"errors"
	"os/exec"
)

func runTree() {}

func canSupervise() error { return errors.New("only Linux lets a process adopt orphans") }

func startSupervised(*exec.Cmd) (*Tree, error) { return nil, canSupervise() }

// untilWaitable cannot wait without taking leave of the process here.
func untilWaitable(int) bool { return false }
