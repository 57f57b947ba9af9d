package hapi

// gathered puts the values of matrices back into arrays: the reference server
// writes those of more than one dimension into the record itself. Fields that do
// not come out as the header says are returned as they are.
func gathered(fields []loose, info *Info) []loose {
	out := make([]loose, 0, len(info.Parameters))
	rest := fields
	for i := range info.Parameters {
		p := &info.Parameters[i]
		n := 1
		if len(p.Size) > 1 && len(rest) > 0 && len(rest[0]) > 0 && rest[0][0] != '[' {
			n = p.Width()
		}
		if len(rest) < n {
			return fields
		}
		if n == 1 {
			out, rest = append(out, rest[0]), rest[1:]
			continue
		}
		out, rest = append(out, array(rest[:n])), rest[n:]
	}
	if len(rest) > 0 {
		return fields
	}
	return out
}

func array(values []loose) loose {
	all := loose("[")
	for i, v := range values {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, v...)
	}
	return append(all, ']')
}
