"""Five plasma formulas, as the Go package helio/formulary has them.

Constants are CODATA 2022 in SI. Each function takes the units of space physics
(nT, cm^-3, eV) and returns {name: (value, units)}.
"""

import math as _math

_E = 1.602176634e-19  # elementary charge, C
_C = 299792458.0  # speed of light, m/s
_ELECTRON = 9.1093837139e-31  # masses, kg
_PROTON = 1.67262192595e-27
_ALPHA = 6.6446573450e-27
_U = 1.66053906892e-27  # unified atomic mass unit
_EPS0 = 8.8541878188e-12  # F/m
_MU0 = 1.25663706127e-6  # N/A^2

_PARTICLES = {  # charge number (without sign) and mass
    "proton": (1, _PROTON),
    "electron": (1, _ELECTRON),
    "alpha": (2, _ALPHA),
    "He+": (1, _ALPHA + _ELECTRON),
    "O+": (1, 15.999 * _U - _ELECTRON),
}


def plasma_beta(B_nT, n_cm3, T_eV):
    """Thermal over magnetic pressure: n k_B T / (B^2 / (2 mu0))."""
    b = B_nT * 1e-9
    return {"plasma_beta": (n_cm3 * 1e6 * T_eV * _E / (b * b / (2 * _MU0)), "1")}


def gyrofrequency(B_nT, particle="proton"):
    """omega_c = |q| B / m and what follows from it."""
    charge, mass = _PARTICLES[particle]
    omega = charge * _E * B_nT * 1e-9 / mass
    return {
        "gyrofrequency_Hz": (omega / (2 * _math.pi), "Hz"),
        "gyrofrequency_rad_s": (omega, "rad/s"),
        "gyrofrequency_period_s": (2 * _math.pi / omega, "s"),
    }


def debye_length(n_cm3, T_eV):
    """lambda_D = sqrt(eps0 k_B T_e / (n_e e^2)), of the electrons."""
    length = _math.sqrt(_EPS0 * T_eV / (n_cm3 * 1e6 * _E))
    return {"debye_length_m": (length, "m"), "debye_length_km": (length / 1000, "km")}


def alfven_speed(B_nT, n_cm3, mass_amu=0, alpha_ratio=0, electrons=False):
    """v_A = B / sqrt(mu0 rho), with rho = n m_p unless more is asked for."""
    mass = (mass_amu * _U if mass_amu else _PROTON) + alpha_ratio * _ALPHA
    if electrons:
        mass += (1 + 2 * alpha_ratio) * _ELECTRON
    speed = B_nT * 1e-9 / _math.sqrt(_MU0 * n_cm3 * 1e6 * mass)
    return {"alfven_speed_km_s": (speed / 1000, "km/s"), "alfven_speed_m_s": (speed, "m/s")}


def inertial_length(n_cm3, particle="proton"):
    """d = c / omega_p, with omega_p = sqrt(n q^2 / (eps0 m))."""
    charge, mass = _PARTICLES[particle]
    omega = _math.sqrt(n_cm3 * 1e6 * (charge * _E) ** 2 / (_EPS0 * mass))
    return {"inertial_length_km": (_C / omega / 1000, "km"), "inertial_length_m": (_C / omega, "m")}


def export_formula(values):
    """Export what a formula gave."""
    for name, (value, units) in values.items():
        export(name, value, units)
