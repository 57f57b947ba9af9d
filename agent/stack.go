package agent

// deepen grows the stack of a new goroutine at once to the eight kilobytes that a
// run or a call of a tool needs. On a stack that grows while it is in use every
// frame has to be moved each time, which took a quarter of a short run.
//
//go:noinline
func deepen(i int) byte {
	var room [5 << 10]byte
	return room[i]
}
