"""Describe an exported value: the one document that the ledger keeps of it.

The sandbox sends these documents to the ledger and a notebook compares them
with what it computes anew, so both must describe a value in the same way.
"""

import datetime as _datetime

import numpy as np

_SAMPLE = 8  # how many leading elements of an array a document keeps
_TEXT = 4000  # the longest text that is kept, in bytes


def _describe(name, value, units=""):
    """Return the documents of one exported value, as a list of dicts.

    A dict is flattened: {"x": 1} exported as "fit" gives "fit.x". What cannot
    be recorded gives a document of kind "error" that says why, and no number.
    Whole numbers stay whole: a count is compared exactly, a mean is not.

    >>> _describe("speed", 400.0, "km/s")
    [{'name': 'speed', 'kind': 'number', 'units': 'km/s', 'value': 400.0}]
    >>> _describe("samples", np.int32(11))[0]["value"]
    11
    >>> _describe("fit", {"slope": 0.5}, "1")[0]["name"]
    'fit.slope'
    >>> _describe("when", np.datetime64("1970-01-01T00:00:01"))[0]["time_ns_unix"]
    1000000000
    >>> _describe("b", np.array([1.0, np.nan, 3.0]), "nT")[0]["mean"]
    2.0
    >>> _describe("bad", float("nan"))[0]["error"]
    'it is not a finite number'
    """
    name, units = str(name), str(units)
    if isinstance(value, dict):
        return [
            document
            for key, item in value.items()
            for document in _describe(f"{name}.{key}", item, units)
        ]
    head = {"name": name, "kind": "text", "units": units}
    if isinstance(value, str):
        return [{**head, "text": value.encode()[:_TEXT].decode(errors="ignore")}]
    if hasattr(value, "values") and hasattr(value, "units"):  # a Dataset
        value, head["units"] = value.values, units or str(value.units)
    try:
        array = _as_array(value)
    except (TypeError, ValueError) as problem:
        return [_refused(name, f"it is not a number, a time, a text or an array of numbers ({problem})", value)]
    if array.dtype.kind == "m":
        array, head["units"] = array / np.timedelta64(1, "s"), units or "s"
    if array.dtype.kind == "b":
        array = array.astype(int)
    if array.dtype.kind not in "iufM":
        return [_refused(name, "it is not a number, a time, a text or an array of numbers", value)]
    if array.dtype.kind == "M":
        return [_describe_times(head, array.astype("datetime64[ns]"), value)]
    if array.ndim == 0:
        if not np.isfinite(array):
            return [_refused(name, "it is not a finite number", value)]
        return [{**head, "kind": "number", "value": _number(array)}]
    return [_describe_array(head, array, value)]


def _as_array(value):
    if isinstance(value, _datetime.datetime):
        if value.tzinfo is not None:  # one without a zone is UTC already
            value = value.astimezone(_datetime.timezone.utc).replace(tzinfo=None)
        return np.array(value, "datetime64[ns]")
    if np.ma.isMaskedArray(value):
        return np.ma.filled(value.astype(float), np.nan)
    return np.asarray(value)


def _describe_array(head, array, value):
    good = array[np.isfinite(array)].astype(float)
    if good.size == 0:
        return _refused(head["name"], "it holds no finite value", value)
    return {
        **head,
        "kind": "series",
        "shape": list(array.shape),
        "n_finite": int(good.size),
        "n_nan": int(array.size - good.size),
        "mean": float(good.mean()),
        "std": float(good.std()),
        "min": float(good.min()),
        "max": float(good.max()),
        "sample": [_number(x) if np.isfinite(x) else None for x in array.ravel()[:_SAMPLE]],
    }


def _describe_times(head, array, value):
    missing = int(np.isnat(array).sum())
    if missing == array.size:
        return _refused(head["name"], "it is not a time" if array.ndim == 0 else "it holds no time", value)
    if array.ndim == 0:
        return {**head, "kind": "time", "units": "", "time_ns_unix": int(array.astype(np.int64))}
    return {
        **head,
        "kind": "series",
        "units": "",
        "shape": list(array.shape),
        "n_finite": int(array.size - missing),
        "n_nan": missing,
        "times_ns_unix": [None if np.isnat(t) else int(t.astype(np.int64)) for t in array.ravel()[:_SAMPLE]],
    }


def _number(x):
    """A Python number: whole numbers stay whole."""
    return int(x) if x.dtype.kind in "iu" else float(x)


def _refused(name, why, value):
    return {"name": name, "kind": "error", "error": why, "repr": repr(value)[:200]}
