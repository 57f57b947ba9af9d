# name: theta_bn
# version: 1.0.0
# description: Angle between the shock normal and the upstream magnetic field,
#   by magnetic coplanarity: from two mean fields, from a series and the time of
#   the shock, or from a series alone, in which it looks for shocks. Spreads over
#   window choices and over samples come with it.
# inputs: B_up, B_dn = (3,) or (N, 3) field in nT on either side; or B = dataset
#   of three columns (or (N, 3) with time = (N,) datetime64) with shock_time =
#   UTC time, and guard_min = 2, span_min = 13 (minutes), optional; or B alone
#   with density (cm^-3), speed (km/s) = datasets, n_candidates = 10, optional
# outputs: theta_bn (deg), shock_normal (1, three components), compression_ratio
#   (1), B_up_mean_nT, B_dn_mean_nT, B_up_mag_nT, B_dn_mag_nT (nT); from a series
#   also shock_time (UTC), theta_bn_window_spread_deg, theta_bn_sampling_std_deg,
#   normal_spread_deg (deg), Bn_std_nT (nT), shock_candidates (count)
# reference: Colburn, D. S. and Sonett, C. P. (1966), Discontinuities in the solar
#   wind, Space Sci. Rev. 5, 439; Schwartz, S. J. (1998), Shock and Discontinuity
#   Normals, Mach Numbers, and Related Parameters, in Paschmann and Daly (eds.),
#   Analysis Methods for Multi-Spacecraft Data, ISSI SR-001, chapter 10
"""Shock normal and theta_Bn by magnetic coplanarity."""

import numpy as np

MINUTE = np.timedelta64(60, "s")
GUARDS, SPANS = (1, 2, 3), (8, 10, 13, 15)  # minutes, for the spread over windows
RESAMPLES = 200  # bootstraps, with seed 0


def theta_bn(B_up, B_dn):
    """Shock geometry from the field upstream and downstream of it.

    B_up and B_dn are (3,) means or (N, 3) windows; rows with a missing component
    are left out. The normal is n ~ (B_d x B_u) x (B_d - B_u), of unit length and
    pointing to positive x; theta_bn is the acute angle between it and <B_u>:
    below 45 degrees the shock is quasi-parallel, above quasi-perpendicular.

    Returns a dict, or {"error": ...} with no number in it: for fields that are
    collinear (theta_bn 0 or 90), the coplanarity plane does not exist.
    """
    try:
        up, down = _rows(B_up), _rows(B_dn)
    except (TypeError, ValueError):
        return {"error": "B_up and B_dn must be field vectors of shape (3,) or (N, 3)"}
    if len(up) == 0 or len(down) == 0:
        return {"error": f"no complete field vector {'upstream' if len(up) == 0 else 'downstream'}"}
    u, d = up.mean(axis=0), down.mean(axis=0)
    normal = _coplanarity_normal(u, d)
    if normal is None:
        return {"error": "the fields upstream and downstream are zero or collinear, so they span no coplanarity plane"}
    size = np.linalg.norm
    return {
        "theta_bn": _angle_to(normal, u),
        "shock_normal": normal,
        "compression_ratio": size(d) / size(u),
        "B_up_mean_nT": u,
        "B_dn_mean_nT": d,
        "B_up_mag_nT": size(u),
        "B_dn_mag_nT": size(d),
    }


def theta_bn_at(B, time, shock_time, guard_min=2, span_min=13):
    """Shock geometry from a field series and the time of the shock.

    Upstream is [t - guard - span, t - guard], downstream [t + guard, t + guard +
    span], in minutes. A window is refused that holds fewer than 3 vectors, a
    single step of |B| above half of the jump, or a trend above a quarter of it:
    it would lie on the shock's own ramp, or on another one.

    The spread over windows is half the range of theta_bn over guards of 1, 2, 3
    and spans of 8, 10, 13, 15 minutes; the spread over samples comes from 200
    bootstraps of the rows (seed 0), which ignores their correlation.
    """
    try:
        B, time = _series(B, time)
        shock_time = np.datetime64(str(shock_time).rstrip("Z"), "ns")
        guard_min, span_min = float(guard_min), float(span_min)
    except (TypeError, ValueError) as problem:
        return {"error": f"B must be (N, 3) with (N,) times, and shock_time a UTC time: {problem}"}
    up, down, problem = _windows(B, time, shock_time, guard_min, span_min)
    if problem:
        return {"error": problem}
    result = theta_bn(up, down)
    if "error" in result:
        return result
    result["shock_time"] = shock_time
    others = []
    for guard in GUARDS:
        for span in SPANS:
            u, d, problem = _windows(B, time, shock_time, guard, span)
            other = {"error": problem} if problem else theta_bn(u, d)
            if "error" not in other:
                others.append(other["theta_bn"])
    if len(others) > 1:
        result["theta_bn_window_spread_deg"] = (max(others) - min(others)) / 2
    if min(len(up), len(down)) >= 5:
        result.update(_sampling_spread(up, down, result["shock_normal"]))
    return result


def shock_candidates(B, time, density=None, speed=None, n_candidates=10):
    """Times at which |B| rises like a shock, best first.

    A candidate is a rise of mean |B| by 1.2 or more from the minute before to
    the minute after (two samples, where the cadence is longer); rises within two
    minutes are one, and its time is the later end of its steepest step. With
    density and speed, each a (values, time) pair, those whose medians over 10
    minutes on either side (2 minutes left out) rise by a factor 1.2 and by
    20 km/s come first, marked "fast-forward".

    Returns a list of dicts: time, ratio, kind.
    """
    B, time = _series(B, time)
    size = np.sqrt((B**2).sum(axis=1))
    if len(size) < 4:
        return []
    step = np.median(np.diff(time)).astype(np.int64)
    box = max(int(MINUTE / np.timedelta64(1, "ns")), 2 * int(step))
    clock = time.astype(np.int64)
    total = np.concatenate([[0.0], np.cumsum(size)])

    def mean(first, last):
        return (total[last] - total[first]) / np.maximum(last - first, 1)

    at = np.arange(len(size))
    before, after = np.searchsorted(clock, clock - box), np.searchsorted(clock, clock + box)
    ratio = np.where((at > before) & (after > at), mean(at, after) / np.maximum(mean(before, at), 1e-12), 0.0)
    rises = np.flatnonzero(ratio >= 1.2)
    groups = np.split(rises, np.flatnonzero(np.diff(clock[rises]) > 2 * box) + 1) if rises.size else []
    found = []
    for group in groups:
        first, last = max(before[group[0]], 0), min(after[group[-1]], len(size) - 1)
        steepest = first + int(np.argmax(np.diff(size[first : last + 1])))
        found.append({"time": time[steepest + 1], "ratio": float(ratio[group].max()), "kind": "rise of |B|"})
    found.sort(key=lambda c: -c["ratio"])
    if density is None or speed is None:
        return found[:n_candidates]
    found = found[: 3 * n_candidates]
    for candidate in found:
        n_up, n_dn = _side_medians(*density, candidate["time"])
        v_up, v_dn = _side_medians(*speed, candidate["time"])
        if n_dn >= 1.2 * n_up and v_dn - v_up >= 20.0:
            candidate["kind"] = "fast-forward"
    found.sort(key=lambda c: (c["kind"] != "fast-forward", -c["ratio"]))
    return found[:n_candidates]


def _coplanarity_normal(u, d):
    cross = np.cross(d, u)
    normal = np.cross(cross, d - u)
    scale = max(np.linalg.norm(u), np.linalg.norm(d))
    # Relative, so that fields of 1 nT and of 1,000 nT are judged alike.
    if scale < 1e-12 or np.linalg.norm(cross) < 1e-9 * scale**2 or np.linalg.norm(normal) < 1e-12 * scale**3:
        return None
    normal /= np.linalg.norm(normal)
    first = normal[np.argmax(np.abs(normal) > 1e-12)]
    return -normal if first < 0 else normal


def _angle_to(normal, field):
    """The acute angle between two directions, in degrees."""
    return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(field, normal)), abs(field @ normal))))


def _rows(B):
    """B as (N, 3), without rows that miss a component."""
    B = np.atleast_2d(np.asarray(B, float))
    if B.ndim != 2 or B.shape[1] != 3:
        raise ValueError(f"not vectors: {B.shape}")
    return B[(np.isfinite(B) & (np.abs(B) < 1e30)).all(axis=1)]


def _series(B, time):
    """Complete rows with their times, in order of time."""
    B, time = np.asarray(B, float), np.asarray(time, "datetime64[ns]")
    if B.ndim != 2 or B.shape[1] != 3 or time.shape != (len(B),):
        raise ValueError(f"B has the shape {B.shape} and time {time.shape}")
    good = (np.isfinite(B) & (np.abs(B) < 1e30)).all(axis=1)
    B, time = B[good], time[good]
    order = np.argsort(time, kind="stable")
    return B[order], time[order]


def _between(time, start, stop):
    """A mask of [start, stop], both minutes-exact and inside."""
    return (time >= start) & (time <= stop)


def _minutes(count):
    return np.timedelta64(round(count * 60e9), "ns")


def _windows(B, time, t, guard, span):
    """The field rows on both sides of t, or the reason to refuse them."""
    if guard < 0 or span <= 0:
        return None, None, "guard_min must be 0 or more and span_min above 0"
    sides = {
        "upstream": B[_between(time, t - _minutes(guard + span), t - _minutes(guard))],
        "downstream": B[_between(time, t + _minutes(guard), t + _minutes(guard + span))],
    }
    for side, rows in sides.items():
        if len(rows) < 3:
            return None, None, f"the {side} window holds {len(rows)} complete field vectors, and 3 are needed; widen span_min or check shock_time"
    sizes = {side: np.sqrt((rows**2).sum(axis=1)) for side, rows in sides.items()}
    means = {side: np.linalg.norm(rows.mean(axis=0)) for side, rows in sides.items()}
    jump = abs(means["downstream"] - means["upstream"])
    for side, size in sizes.items():
        half = len(size) // 2
        if np.abs(np.diff(size)).max() > 0.5 * jump:
            return None, None, f"the {side} window holds a step of |B| above half of the jump across the shock, so it lies on a ramp; move shock_time or widen guard_min"
        if abs(size[half:].mean() - size[:half].mean()) > 0.25 * jump:
            return None, None, f"|B| drifts through the {side} window by more than a quarter of the jump across the shock; move shock_time or change the windows"
    return sides["upstream"], sides["downstream"], ""


def _sampling_spread(up, down, normal):
    """Spreads of theta, of the normal and of the field along it, by bootstrap."""
    random = np.random.default_rng(0)
    angles, turns, along = [], [], []
    for _ in range(RESAMPLES):
        u = up[random.integers(len(up), size=len(up))].mean(axis=0)
        d = down[random.integers(len(down), size=len(down))].mean(axis=0)
        n = _coplanarity_normal(u, d)
        if n is None:
            continue
        n = n if n @ normal >= 0 else -n
        angles.append(_angle_to(n, u))
        turns.append(_angle_to(normal, n))
        along.append(u @ n)
    if len(angles) < RESAMPLES // 2:
        return {}
    return {
        "theta_bn_sampling_std_deg": float(np.std(angles)),
        "normal_spread_deg": float(np.percentile(turns, 68)),
        "Bn_std_nT": float(np.std(along)),
    }


def _side_medians(values, time, t):
    """Medians over 10 minutes before and after t, 2 minutes left out."""
    values, time = np.asarray(values, float), np.asarray(time, "datetime64[ns]")
    sides = []
    for start, stop in ((t - 12 * MINUTE, t - 2 * MINUTE), (t + 2 * MINUTE, t + 12 * MINUTE)):
        part = values[_between(time, start, stop)]
        part = part[np.isfinite(part)]
        sides.append(float(np.median(part)) if part.size else np.nan)
    return sides


def _search(B, time, density, speed, guard_min, span_min, n_candidates):
    """The first candidate whose windows hold, and how many there were."""
    try:
        found = shock_candidates(B, time, density, speed, n_candidates)
    except (TypeError, ValueError) as problem:
        return {"error": f"B, density and speed must be datasets of fitting shapes: {problem}"}
    if not found:
        return {"error": "no rise of |B| by a factor 1.2 within a minute was found; give shock_time if you know of a weaker shock"}
    reasons = []
    for candidate in found:
        result = theta_bn_at(B, time, candidate["time"], guard_min, span_min)
        if "error" not in result:
            result["shock_candidates"] = len(found)
            return result
        reasons.append(f"{str(candidate['time'])[:19]}: {result['error']}")
    return {"error": f"none of {len(found)} rises of |B| has clean windows on both sides; the first, {reasons[0]}"}


_UNITS = {
    "theta_bn": "deg",
    "shock_normal": "1",
    "compression_ratio": "1",
    "B_up_mean_nT": "nT",
    "B_dn_mean_nT": "nT",
    "B_up_mag_nT": "nT",
    "B_dn_mag_nT": "nT",
    "shock_time": "UTC",
    "theta_bn_window_spread_deg": "deg",
    "theta_bn_sampling_std_deg": "deg",
    "normal_spread_deg": "deg",
    "Bn_std_nT": "nT",
    "shock_candidates": "count",
}


def _export_results(bound):
    """Export what the bound inputs give; nothing bound, nothing exported."""
    windows = [bound.get("guard_min", 2), bound.get("span_min", 13)]
    if "B_up" in bound and "B_dn" in bound:
        result = theta_bn(bound["B_up"], bound["B_dn"])
    elif "B" in bound:
        B = bound["B"]
        time = getattr(B, "time", bound.get("time"))
        if "shock_time" in bound:
            result = theta_bn_at(B, time, bound["shock_time"], *windows)
        else:
            plasma = [(d, d.time) if hasattr(d, "time") else None for d in (bound.get("density"), bound.get("speed"))]
            result = _search(B, time, *plasma, *windows, bound.get("n_candidates", 10))
    else:
        return None
    if "error" in result:
        raise ValueError(result["error"])
    for name, units in _UNITS.items():
        if name in result:
            export(name, result[name], units)
    return result


if __name__ == "__main__" and "export" not in globals():
    # A normal of (2,1,2)/3 and a theta_bn of acos(3/5) = 53.130102 degrees.
    for key, value in theta_bn([-2 / 3, 11 / 3, 10 / 3], [-14 / 3, 23 / 3, 16 / 3]).items():
        print(key, value)
else:
    theta_bn_result = _export_results(globals())
