package formulary

// Physical constants, CODATA 2022 (https://physics.nist.gov/constants), in SI.
// Those of 2018 differ by 1.4e-9 in the proton mass and 7e-10 in eps0 and mu0.
const (
	ElementaryCharge = 1.602176634e-19   // C, exact
	Boltzmann        = 1.380649e-23      // J/K, exact
	LightSpeed       = 299792458.0       // m/s, exact
	ElectronMass     = 9.1093837139e-31  // kg
	ProtonMass       = 1.67262192595e-27 // kg
	AlphaMass        = 6.6446573450e-27  // kg
	AtomicMass       = 1.66053906892e-27 // kg, one unified atomic mass unit
	Eps0             = 8.8541878188e-12  // F/m
	Mu0              = 1.25663706127e-6  // N/A^2
)

// Constants names the set of constants in use.
const Constants = "CODATA 2022"

// From the units of space physics to SI.
const (
	teslaPerNT = 1e-9
	m3PerCM3   = 1e6 // m^-3 in a cm^-3
)

// KelvinToEV turns a temperature in kelvin into k_B T in eV: 11,604.518 K are
// 1 eV.
func KelvinToEV(kelvin float64) float64 { return kelvin * Boltzmann / ElementaryCharge }

// EVToKelvin undoes [KelvinToEV].
func EVToKelvin(eV float64) float64 { return eV * ElementaryCharge / Boltzmann }
