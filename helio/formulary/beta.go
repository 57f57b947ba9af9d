package formulary

// PlasmaBeta is the ratio of the thermal pressure of one species to the
// magnetic pressure, for a field magnitude in nT, a number density in cm^-3
// and a temperature k_B T in eV. For several species of equal density give the
// sum of their temperatures. A field of zero is refused: beta is infinite there.
func PlasmaBeta(bNT, nCM3, tEV float64) (*Result, error) {
	r, err := begin("plasma_beta", field(bNT), density(nCM3), temperature(tEV))
	if err != nil {
		return nil, err
	}
	b := bNT * teslaPerNT
	beta := nCM3 * m3PerCM3 * tEV * ElementaryCharge / (b * b / (2 * Mu0))
	r.Values = []Value{{"beta", beta, "1"}}
	r.Expression = "beta = n k_B T / (B^2 / (2 mu0))"
	r.Convention = "one species at the temperature given; for the total give the sum of the temperatures"
	r.Regime = betaRegime(beta)
	r.Source = "NRL Plasma Formulary, dimensionless parameters"
	return r, nil
}

func betaRegime(beta float64) string {
	switch {
	case beta < 0.01:
		return "the magnetic field dominates strongly (beta below 0.01)"
	case beta < 1:
		return "the magnetic field dominates (beta below 1)"
	case beta < 10:
		return "the thermal pressure dominates (beta from 1 to 10)"
	case beta >= 10:
		return "the thermal pressure dominates strongly (beta 10 or more)"
	}
	return ""
}
