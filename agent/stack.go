package agent

// The stack of a new goroutine is small, and each time that it is too small every
// frame on it has to be moved, which took a quarter of a short run. So it is grown
// at once, while there is next to nothing on it.

// deepenRun makes the sixteen kilobytes that a run needs.
//
//go:noinline
func deepenRun(i int) byte {
	var room [9 << 10]byte
	return room[i]
}

// deepenStream makes the four kilobytes that a model needs at least.
//
//go:noinline
func deepenStream(i int) byte {
	var room [2200]byte
	return room[i]
}

// deepenCall makes the eight kilobytes that a call of a tool needs, as a rule.
//
//go:noinline
func deepenCall(i int) byte {
	var room [5 << 10]byte
	return room[i]
}
