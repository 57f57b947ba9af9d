package cdf

// Column-major files store the values of a record with the first dimension
// running fastest; what is returned has the last one running fastest.

// reorders reports whether records have to be reordered.
func (v *Variable) reorders() bool { return v.file.info.ColumnMajor && len(v.Dims) > 1 }

// rowMajor reorders whole records in place.
func rowMajor[T any](v *Variable, values []T) {
	if !v.reorders() || len(values) == 0 {
		return
	}
	stored := make([]T, v.perRecord)
	for len(values) > 0 {
		record := values[:len(stored)]
		copy(stored, record)
		if len(v.Dims) == 2 {
			transpose(record, stored, v.Dims[0], v.Dims[1])
		} else {
			for to, at := range v.columnMajor {
				record[to] = stored[at]
			}
		}
		values = values[len(stored):]
	}
}

func transpose[T any](record, stored []T, rows, columns int) {
	for i := range rows {
		row := record[i*columns : (i+1)*columns]
		for j := range row {
			row[j] = stored[i+j*rows]
		}
	}
}

// rowMajorBytes is rowMajor for elements of that many bytes.
func rowMajorBytes(v *Variable, values []byte, element int) {
	if !v.reorders() || len(values) == 0 {
		return
	}
	stored := make([]byte, v.recordSize)
	for len(values) > 0 {
		record := values[:len(stored)]
		copy(stored, record)
		for to, at := range v.columnMajor {
			copy(record[to*element:(to+1)*element], stored[at*element:])
		}
		values = values[len(stored):]
	}
}

// columnMajor yields, for each value of a record, its place in row-major order,
// rising, and its place in column-major order.
func (v *Variable) columnMajor(yield func(to, at int) bool) {
	var stride, position [maxDims]int
	n := 1
	for d, size := range v.Dims {
		stride[d] = n
		n *= size
	}
	at := 0
	for to := range n {
		if !yield(to, at) {
			return
		}
		for d := len(v.Dims) - 1; d >= 0; d-- {
			at += stride[d]
			if position[d]++; position[d] < v.Dims[d] {
				break
			}
			at -= stride[d] * v.Dims[d]
			position[d] = 0
		}
	}
}
