package workspace

// Describe says in words what the mode stops and what it does not.
func (r *Root) Describe() string { return r.mode.String() }
