//go:build unix && !linux

package workspace_test

import "errors"

func mknod(string) error { return errors.ErrUnsupported }
