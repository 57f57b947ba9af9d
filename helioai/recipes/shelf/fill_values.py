# name: fill_values
# version: 1.0.0
# description: Find fill values and turn them into NaN: what is not finite, what
#   is 1e30 or more in size, and what equals the declared fill value to a relative
#   1e-6 (files declare 99999.9 and store the float32 next to it). Data from
#   load_data are clean already; this is for values from elsewhere.
# inputs: values = (N,) or (N, C) numbers; fill = declared fill value, one number
#   or one a column, optional; whole_rows = True to blank every component of a
#   vector that misses one, optional
# outputs: fill_values_total (count), fill_values_missing (count),
#   fill_values_rows (count of records with a missing component),
#   fill_values_missing_pct (%); the cleaned array is left in cleaned
# reference: NASA GSFC SPDF, ISTP Metadata Guidelines, FILLVAL;
#   https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html
"""Fill values of space-physics files, and how to blank them."""

import numpy as np


def fill_mask(values, fill=None):
    """Return a boolean array that is True where values hold fill.

    A global threshold would not do: 99,999.9 is fill for a speed and an
    ordinary proton temperature in kelvin, so the declared value is compared
    closely. fill may be None, a number, or one number a column; a NaN in it
    declares nothing.

    >>> fill_mask([1.0, 99999.8984375, 99093.0, -1e31], 99999.9).tolist()
    [False, True, False, True]
    >>> fill_mask([[1.0, 99999.9], [999.9, 2.0]], [999.9, 99999.9]).tolist()
    [[False, True], [True, False]]
    """
    values = np.asarray(values, float)
    with np.errstate(invalid="ignore"):
        mask = ~np.isfinite(values) | (np.abs(values) >= 1e30)
        if fill is not None:
            fill = np.asarray(fill, float)
            if fill.size == 1:
                fill = fill.ravel()[0]
            mask |= np.abs(values - fill) <= 1e-6 * np.abs(fill)
    return mask


def blank_fill(values, fill=None):
    """Return a float copy of values with NaN for fill.

    >>> blank_fill([1, -2147483648], fill=-2147483648).tolist()
    [1.0, nan]
    """
    out = np.array(values, float)
    out[fill_mask(out, fill)] = np.nan
    return out


def clean_variable(values, fill=None, whole_rows=False):
    """Blank fill and count it.

    With whole_rows a record that misses one component loses all of them, as a
    vector without its Bz is no vector. Returns a dict: values, total, missing,
    rows, missing_pct; or {"error": ...} when there is nothing to count.

    >>> r = clean_variable([[1, 2, 3], [4, -1e31, 6]], whole_rows=True)
    >>> r["values"].tolist(), r["missing"], r["rows"]
    ([[1.0, 2.0, 3.0], [nan, nan, nan]], 3, 1)
    """
    try:
        cleaned = blank_fill(values, fill)
    except (TypeError, ValueError) as problem:
        return {"error": f"values and fill must be numbers of fitting shapes: {problem}"}
    if cleaned.size == 0 or cleaned.ndim == 0:
        return {"error": "values must be an array that is not empty"}
    rows = np.isnan(cleaned).reshape(len(cleaned), -1).any(axis=1)
    if whole_rows:
        cleaned[rows] = np.nan
    missing = int(np.isnan(cleaned).sum())
    return {
        "values": cleaned,
        "total": int(cleaned.size),
        "missing": missing,
        "rows": int(rows.sum()),
        "missing_pct": 100.0 * missing / cleaned.size,
    }


def _export_results(bound):
    """Export what the bound inputs give; nothing bound, nothing exported."""
    if "values" not in bound:
        return None
    result = clean_variable(bound["values"], bound.get("fill"), bound.get("whole_rows", False))
    if "error" in result:
        raise ValueError(result["error"])
    export("fill_values_total", result["total"], "count")
    export("fill_values_missing", result["missing"], "count")
    export("fill_values_rows", result["rows"], "count")
    export("fill_values_missing_pct", result["missing_pct"], "%")
    return result["values"]


if __name__ == "__main__" and "export" not in globals():
    print(clean_variable([5.1, 99999.8984375, 4.9, -1e31], fill=99999.9))
else:
    cleaned = _export_results(globals())
