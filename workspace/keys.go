package workspace

// Keys returns the keys of a permission for a name.
func (r *Root) Keys(name string) ([]string, error) {
	name, err := Clean(name)
	if err != nil {
		return nil, err
	}
	return []string{name}, nil
}
