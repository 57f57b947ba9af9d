package hapi

import "fmt"

// Status is how a server says how a request went.
type Status struct {
	Code    int
	Message string
}

// The codes of the specification.
const (
	OK                    = 1200
	NoData                = 1201
	UserError             = 1400
	UnknownRequestField   = 1401
	BadStart              = 1402
	BadStop               = 1403
	StartNotBeforeStop    = 1404
	TimeOutsideRange      = 1405
	UnknownDataset        = 1406
	UnknownParameter      = 1407
	TooMuchData           = 1408
	UnsupportedFormat     = 1409
	UnsupportedInclude    = 1410
	ParametersOutOfOrder  = 1411
	UnsupportedReferences = 1412
	UnsupportedDepth      = 1413
	InternalError         = 1500
	UpstreamError         = 1501
)

// Error is what a server says when it refuses a request.
type Error struct {
	Status Status
	Host   string
	HTTP   int // status of HTTP
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s refuses with HAPI status %d: %s", e.Host, e.Status.Code, e.Status.Message)
}

// StreamError says that a stream of data is cut off or is not what it should be.
type StreamError struct {
	Format Format
	Record int64  // number of the record, from 0, that could not be read
	Offset int64  // in bytes from the beginning of the stream, where it begins or where it went wrong
	Reason string // one clause
	Err    error  // the cause; may be nil
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("read %s: record %d, at byte %d: %s", e.Format, e.Record, e.Offset, e.Reason)
}

// Unwrap returns the cause.
func (e *StreamError) Unwrap() error { return e.Err }
