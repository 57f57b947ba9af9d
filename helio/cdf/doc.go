// Package cdf reads NASA's Common Data Format, the file format of most
// space-physics archives: versions 2.4 to 3.9 and the older layouts they grew
// from, whole or per-variable compression, r and z variables, sparse records,
// either majority, and the ISTP attributes that say what a variable means.
//
//	f, err := cdf.Open("ac_h0_mfi_20230102_v07.cdf")
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	field, ok := f.Variable("BGSEc")
//	...
//	values, err := field.Float64s() // N*3 numbers, record after record
//	axis, err := field.TimeAxis()   // the variable that DEPEND_0 names
//	times, err := axis.Times()      // N instants, as TT2000
//
// # What opening does
//
// [Open] and [New] read the headers, the descriptions of the variables and all
// attributes, never the values: listing a file of gigabytes takes as long as
// listing a small one. The exception is a file that is compressed as a whole,
// which has to be expanded in memory first. After that a [File] does not change,
// and all methods of it and of its parts are safe for concurrent use.
//
// # What reading gives
//
// Arrays come in row-major order whatever the file holds. Dimensions that do not
// vary are left out of [Variable.Dims]. Records that a sparse variable leaves out
// are filled in as it says, by its pad value or by the record before. A variable
// without records gives an empty result and no error. Fill values are not masked:
// the caller has [Variable.FillValue]. Numbers and times of more than 8 MB are
// read by several goroutines, which have ended when the call returns.
//
// # What cannot be read
//
// VAX floating point, multi-file CDFs and the two Huffman compressions are
// refused with an error that wraps [ErrUnsupported].
//
// # Untrusted files
//
// A file may be truncated, damaged or hostile. Every offset, size and count is
// checked; every record of the file may be visited once, so no chain of records
// can run in a circle. A file that is shorter than its header says is refused
// when it is opened, and a block of values that is shorter than its index says,
// or that does not expand to what it should, is an error when it is read: there
// is never a short result.
//
// Memory is bounded by the size S of the file. Opening, and what is kept for
// finding variables and attributes, takes at most 8*S + 1 MiB; where the file is
// compressed as a whole, its expanded size E counts instead, S + 9*E + 1 MiB, and
// E is at most 1,032*S, as gzip can do no more. The indices of all variables,
// which are kept, and what reading needs beside its result, take at most
// 8*S + 1 MiB for each processor, and a record. The result of one read has at most
// 1,032*S bytes, or 64 MiB where that is more: only a sparse variable can honestly
// hold more, and is then read in parts with [Variable.Range].
package cdf
