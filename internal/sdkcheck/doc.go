// Package sdkcheck holds Helios's providers against the official Go clients of the
// same servers. It is a module of its own, so that nobody who builds Helios builds
// those clients, and runs by `make sdkcheck`.
//
//   - Streams: the bytes of testdata, in many pieces and with each kind of line end,
//     go to our provider and to the official client; what both make of them must be
//     the same message.
//   - Requests: the same conversations are sent by both; the bodies must be the same
//     JSON.
//   - Benchmarks: both decode a stream of 10 MB.
//
// Where the two differ on purpose, DIFFERENCES.md says how and why. The tests hold
// that page: a difference that it does not list fails, and so does one that it lists
// and that is gone.
//
// All bytes here were written for this purpose; none comes from the clients or
// their tests.
package sdkcheck
