package agent

import (
	"errors"
	"fmt"
)

// errExited is why something of the user's has no result that ended its goroutine.
var errExited = errors.New("it ended its goroutine, as runtime.Goexit and a test's FailNow do")

// sound returns the error, or where its text cannot be had, as that of a nil *T in an
// error, one that says so. What tools and models return goes through it.
func sound(err error) (out error) {
	if err == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			out = fmt.Errorf("an error of type %T whose text cannot be had; is it a nil pointer?", err)
		}
	}()
	_ = err.Error()
	return err
}
