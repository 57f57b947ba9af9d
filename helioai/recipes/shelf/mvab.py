# name: mvab
# version: 1.0.0
# description: Minimum variance analysis of the magnetic field: the direction in
#   which the field varies least, taken as the normal of a current sheet, with
#   the statistical errors of its angles and of the field along it.
# inputs: B = (N, 3) magnetic field in nT, or a dataset of three columns; rows
#   with a missing component are left out; bn_zero = True for the variant that
#   forces <B>.n = 0 (tangential discontinuity), optional
# outputs: mvab_normal (1, three components), mvab_ratio_int_min (1),
#   mvab_lambda_max, mvab_lambda_int, mvab_lambda_min (nT^2), mvab_dphi_min_int,
#   mvab_dphi_min_max, mvab_dphi_int_max (deg), mvab_Bn, mvab_dBn (nT),
#   mvab_n_points (count), mvab_quality (text); with bn_zero: mvab_normal,
#   mvab_lambda_max, mvab_lambda_int (nT^2), mvab_ratio_max_int (1),
#   mvab_n_points (count), mvab_quality (text)
# reference: Sonnerup, B. U. O. and Scheible, M. (1998), Minimum and Maximum
#   Variance Analysis, in Paschmann and Daly (eds.), Analysis Methods for
#   Multi-Spacecraft Data, ISSI SR-001, chapter 8, eq. 8.23 and 8.24
"""Minimum variance analysis of the magnetic field (MVAB)."""

import numpy as np

GOOD, ACCEPTABLE = 10.0, 4.0  # intermediate to minimum variance


def mvab(B):
    """Find the normal of a current sheet from the field measured through it.

    The covariance is M_ij = <B_i B_j> - <B_i><B_j> (divided by N); its
    eigenvectors are the directions of maximum (l), intermediate (m) and minimum
    variance (n, the normal). n points to positive x, so the sign is a
    convention; l too, and m = n x l.

    The errors are statistical: with l1 >= l2 >= l3,
    dphi_ij = sqrt(l3/(N-1) (li + lj - l3)) / |li - lj| is the angle by which
    direction i may turn towards j, and that of the mean field along n follows
    from it. They leave out that a layer may not be plane or steady.

    Returns a dict, or {"error": ...} with no number in it. Quality: above 10
    good, 4 to 10 acceptable, below 4 poor (a ratio of l2 to l3).
    """
    B, problem = _field_rows(B)
    if problem:
        return {"error": problem}
    N = len(B)
    mean = B.mean(axis=0)
    about = B - mean  # the same M, and no digits lost where the mean is large
    values, vectors = np.linalg.eigh(about.T @ about / N)
    l3, l2, l1 = values
    floor = 100 * np.finfo(float).eps * l1
    if l1 <= 1e-24 * (mean @ mean):
        return {"error": "the field does not vary, so no direction of least variance exists"}
    if l2 - l3 <= floor:
        return {"error": "the minimum and the intermediate variance are equal, so the normal is undetermined"}
    n = _towards_x(vectors[:, 0])
    l = _towards_x(vectors[:, 2])
    m = np.cross(n, l)
    result = {
        "n_points": N,
        "lambda_max": l1,
        "lambda_int": l2,
        "lambda_min": max(l3, 0.0),
        "max_direction": l,
        "int_direction": m,
        "normal": n,
        "Bn": mean @ n,
    }
    warning = "" if N >= 30 else f"; only {N} points, so the errors themselves are uncertain"
    if l3 <= floor:  # planar to rounding: a ratio and errors would be noise
        result["quality"] = "planar: the field has no variance along the normal, so no error can be given" + warning
        return result

    def dphi(li, lj):
        return np.sqrt(l3 / (N - 1) * (li + lj - l3)) / abs(li - lj)

    d32, d31, d12 = dphi(l3, l2), dphi(l3, l1), dphi(l1, l2) if l1 - l2 > floor else np.nan
    result["ratio_int_min"] = l2 / l3
    result["dphi_min_int"] = np.degrees(d32)
    result["dphi_min_max"] = np.degrees(d31)
    if np.isfinite(d12):
        result["dphi_int_max"] = np.degrees(d12)
    result["dBn"] = np.sqrt(l3 / (N - 1) + (d32 * (mean @ m)) ** 2 + (d31 * (mean @ l)) ** 2)
    result["quality"] = _grade(l2 / l3, "intermediate to minimum variance") + warning
    return result


def mvab_bn_zero(B):
    """The same with the normal held perpendicular to the mean field.

    The variance is taken in the plane perpendicular to <B>; the normal is the
    direction of its smaller variance (Sonnerup and Scheible, same chapter).
    """
    B, problem = _field_rows(B)
    if problem:
        return {"error": problem}
    N = len(B)
    mean = B.mean(axis=0)
    size = np.sqrt((B**2).sum(axis=1).mean())
    if np.linalg.norm(mean) <= 1e-9 * size:
        return {"error": "the mean field is zero, so every direction is perpendicular to it; use the plain variant"}
    along = mean / np.linalg.norm(mean)
    across = np.linalg.svd(along[np.newaxis])[2][1:]  # two unit vectors perpendicular to the mean
    plane = B @ across.T
    values, vectors = np.linalg.eigh(plane.T @ plane / N)
    small, large = values
    if large - small <= 100 * np.finfo(float).eps * size**2:
        return {"error": "both variances perpendicular to the mean field are equal, so the normal is undetermined"}
    result = {
        "n_points": N,
        "lambda_max": large,
        "lambda_int": max(small, 0.0),
        "normal": _towards_x(vectors[:, 0] @ across),
    }
    warning = "" if N >= 30 else f"; only {N} points"
    if small <= 100 * np.finfo(float).eps * size**2:
        result["quality"] = "planar: the field has no variance along the normal" + warning
        return result
    result["ratio_max_int"] = large / small
    result["quality"] = _grade(large / small, "larger to smaller variance across <B>") + warning
    return result


def _field_rows(B):
    """The rows of B that hold three finite components, or what is wrong."""
    try:
        B = np.asarray(B, float)
    except (TypeError, ValueError):
        return None, "B must be numbers of shape (N, 3)"
    if B.ndim != 2 or B.shape[1] != 3:
        return None, f"B must have the shape (N, 3), not {B.shape}"
    good = np.isfinite(B).all(axis=1) & (np.abs(B) < 1e30).all(axis=1)
    if good.sum() < 4:
        return None, f"at least 4 field vectors are needed, and {int(good.sum())} of {len(B)} are complete"
    return B[good], ""


def _towards_x(vector):
    """The vector or its opposite, whichever points to positive x."""
    first = vector[np.argmax(np.abs(vector) > 1e-12)]
    return -vector if first < 0 else vector


def _grade(ratio, what):
    if ratio > GOOD:
        return f"good: {what} {ratio:.3g}, above {GOOD:g}"
    if ratio >= ACCEPTABLE:
        return f"acceptable: {what} {ratio:.3g}, between {ACCEPTABLE:g} and {GOOD:g}"
    return f"poor: {what} {ratio:.3g}, below {ACCEPTABLE:g}; do not rely on the normal"


_UNITS = {
    "normal": "1",
    "ratio_int_min": "1",
    "ratio_max_int": "1",
    "lambda_max": "nT^2",
    "lambda_int": "nT^2",
    "lambda_min": "nT^2",
    "dphi_min_int": "deg",
    "dphi_min_max": "deg",
    "dphi_int_max": "deg",
    "Bn": "nT",
    "dBn": "nT",
    "n_points": "count",
    "quality": "text",
}


def _export_results(bound):
    """Export what the bound inputs give; nothing bound, nothing exported."""
    if "B" not in bound:
        return None
    result = (mvab_bn_zero if bound.get("bn_zero", False) else mvab)(bound["B"])
    if "error" in result:
        raise ValueError(result["error"])
    for name, units in _UNITS.items():
        if name in result:
            export(f"mvab_{name}", result[name], units)
    return result


if __name__ == "__main__" and "export" not in globals():
    # A field whose variances are 50, 8 and 0.5 nT^2 and whose normal is (2,1,2)/3.
    angle = np.radians(np.arange(360))
    basis = np.array([[-2, 2, 1], [1, 2, -2], [2, 1, 2]]) / 3
    lmn = [10 * np.cos(angle), 4 * np.sin(angle) + 1, np.cos(2 * angle) + 3]
    for key, value in mvab(np.transpose(lmn) @ basis).items():
        print(key, value)
else:
    mvab_result = _export_results(globals())
