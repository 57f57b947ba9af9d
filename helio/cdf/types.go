package cdf

import "fmt"

// Type is the data type of a variable or of an attribute's entry, with the code
// that the file format uses.
type Type int

// The data types. The names of two codes for the same thing are as in the
// format: Real4 and Float, Real8 and Double, Int1 and Byte differ in name only.
const (
	Int1    Type = 1
	Int2    Type = 2
	Int4    Type = 4
	Int8    Type = 8
	Uint1   Type = 11
	Uint2   Type = 12
	Uint4   Type = 14
	Real4   Type = 21
	Real8   Type = 22
	Epoch   Type = 31 // milliseconds since year 0, as a float64
	Epoch16 Type = 32 // seconds since year 0 and picoseconds, as two float64
	TT2000  Type = 33 // nanoseconds since J2000, see package tt
	Byte    Type = 41
	Float   Type = 44
	Double  Type = 45
	Char    Type = 51
	Uchar   Type = 52
)

// String returns the name of the format's manuals, as in "CDF_REAL4".
func (t Type) String() string {
	switch t {
	case Int1:
		return "CDF_INT1"
	case Int2:
		return "CDF_INT2"
	case Int4:
		return "CDF_INT4"
	case Int8:
		return "CDF_INT8"
	case Uint1:
		return "CDF_UINT1"
	case Uint2:
		return "CDF_UINT2"
	case Uint4:
		return "CDF_UINT4"
	case Real4:
		return "CDF_REAL4"
	case Real8:
		return "CDF_REAL8"
	case Epoch:
		return "CDF_EPOCH"
	case Epoch16:
		return "CDF_EPOCH16"
	case TT2000:
		return "CDF_TIME_TT2000"
	case Byte:
		return "CDF_BYTE"
	case Float:
		return "CDF_FLOAT"
	case Double:
		return "CDF_DOUBLE"
	case Char:
		return "CDF_CHAR"
	case Uchar:
		return "CDF_UCHAR"
	}
	return fmt.Sprintf("CDF type %d", int(t))
}

// Size returns the bytes of one element, for text of one character; 0 for a type
// that does not exist.
func (t Type) Size() int {
	switch t {
	case Int1, Uint1, Byte, Char, Uchar:
		return 1
	case Int2, Uint2:
		return 2
	case Int4, Uint4, Real4, Float:
		return 4
	case Int8, Real8, Double, Epoch, TT2000:
		return 8
	case Epoch16:
		return 16
	}
	return 0
}

// IsTime reports whether values of t are instants.
func (t Type) IsTime() bool { return t == Epoch || t == Epoch16 || t == TT2000 }

// IsText reports whether values of t are strings.
func (t Type) IsText() bool { return t == Char || t == Uchar }

// IsInteger reports whether values of t are whole numbers.
func (t Type) IsInteger() bool {
	switch t {
	case Int1, Int2, Int4, Int8, Uint1, Uint2, Uint4, Byte:
		return true
	}
	return false
}

// IsFloat reports whether values of t are floating-point numbers.
func (t Type) IsFloat() bool {
	switch t {
	case Real4, Float, Real8, Double:
		return true
	}
	return false
}

// word is the size of the parts that a byte order applies to.
func (t Type) word() int {
	if t == Epoch16 {
		return 8
	}
	return t.Size()
}

// Encoding is the machine whose number formats a file's values use.
type Encoding int

// The encodings. Those of VAX floating point cannot be read.
const (
	Network    Encoding = 1
	Sun        Encoding = 2
	VAX        Encoding = 3
	DECStation Encoding = 4
	SGI        Encoding = 5
	IBMPC      Encoding = 6
	RS6000     Encoding = 7
	PPC        Encoding = 9
	HP         Encoding = 11
	NeXT       Encoding = 12
	AlphaOSF1  Encoding = 13
	AlphaVMSd  Encoding = 14
	AlphaVMSg  Encoding = 15
	AlphaVMSi  Encoding = 16
	ARMLittle  Encoding = 17
	ARMBig     Encoding = 18
	IA64VMSi   Encoding = 19
	IA64VMSd   Encoding = 20
	IA64VMSg   Encoding = 21
)

// String returns the name of the format's manuals.
func (e Encoding) String() string {
	names := [...]string{Network: "NETWORK", Sun: "SUN", VAX: "VAX", DECStation: "DECSTATION",
		SGI: "SGi", IBMPC: "IBMPC", RS6000: "IBMRS", PPC: "PPC", HP: "HP", NeXT: "NeXT",
		AlphaOSF1: "ALPHAOSF1", AlphaVMSd: "ALPHAVMSd", AlphaVMSg: "ALPHAVMSg",
		AlphaVMSi: "ALPHAVMSi", ARMLittle: "ARM_LITTLE", ARMBig: "ARM_BIG",
		IA64VMSi: "IA64VMSi", IA64VMSd: "IA64VMSd", IA64VMSg: "IA64VMSg"}
	if e > 0 && int(e) < len(names) && names[e] != "" {
		return names[e]
	}
	return fmt.Sprintf("encoding %d", int(e))
}

// bigEndian reports the byte order of values; ok is false where values are not
// IEEE numbers or the encoding is not known.
func (e Encoding) bigEndian() (big, ok bool) {
	switch e {
	case Network, Sun, SGI, RS6000, PPC, HP, NeXT, ARMBig:
		return true, true
	case DECStation, IBMPC, AlphaOSF1, AlphaVMSi, ARMLittle, IA64VMSi:
		return false, true
	}
	return false, false
}
