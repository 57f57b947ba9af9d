package platforms

import "testing"

func TestNothing(t *testing.T) {}
