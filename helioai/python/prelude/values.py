"""Describe an exported value: the one document that the ledger keeps of it.

The sandbox sends these documents to the ledger and a notebook compares them
with what it computes anew, so both must describe a value in the same way.
"""

import datetime as _datetime

import numpy as np

_SAMPLE = 8  # how many leading elements of an array a document keeps
_TEXT = 2000  # the longest text that is kept, in characters


def _describe(name, value, units=""):
    """Return the documents of one exported value, as a list of dicts.

    A dict is flattened: {"x": 1} exported as "fit" gives "fit.x". What cannot
    be recorded gives a document of kind "error" that says why, and no number.

    >>> _describe("speed", 400, "km/s")
    [{'name': 'speed', 'kind': 'number', 'value': 400.0, 'units': 'km/s'}]
    >>> _describe("fit", {"slope": 0.5}, "1")[0]["name"]
    'fit.slope'
    >>> _describe("when", np.datetime64("2023-01-02T03:41:01"))[0]["time"]
    '2023-01-02T03:41:01.000000000Z'
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
    if isinstance(value, str):
        return [{"name": name, "kind": "text", "text": value[:_TEXT], "units": units}]
    if hasattr(value, "values") and hasattr(value, "units"):  # a Dataset
        value, units = value.values, units or str(value.units)
    if isinstance(value, _datetime.datetime):
        value = _utc64(value)
    try:
        array = np.ma.filled(np.ma.asarray(value).astype(float), np.nan) if np.ma.isMaskedArray(value) else np.asarray(value)
    except (TypeError, ValueError) as problem:
        return [_refused(name, f"it is not a number, a time, a text or an array of numbers ({problem})", value)]
    if array.dtype.kind == "M":
        return _describe_times(name, array, value)
    if array.dtype.kind == "m":
        array, units = array / np.timedelta64(1, "s"), units or "s"
    if array.dtype.kind not in "biuf":
        return [_refused(name, "it is not a number, a time, a text or an array of numbers", value)]
    if array.ndim == 0:
        number = float(array)
        if not np.isfinite(number):
            return [_refused(name, "it is not a finite number", value)]
        return [{"name": name, "kind": "number", "value": number, "units": units}]
    return [_describe_array(name, array.astype(float), units, value)]


def _describe_array(name, array, units, value):
    good = array[np.isfinite(array)]
    if good.size == 0:
        return _refused(name, "it holds no finite value", value)
    return {
        "name": name,
        "kind": "series",
        "shape": list(array.shape),
        "n": int(good.size),
        "nan": int(array.size - good.size),
        "mean": float(good.mean()),
        "std": float(good.std()),
        "min": float(good.min()),
        "max": float(good.max()),
        "sample": [float(x) if np.isfinite(x) else None for x in array.ravel()[:_SAMPLE]],
        "units": units,
    }


def _describe_times(name, array, value):
    if array.ndim == 1 and 0 < array.size <= _SAMPLE:
        return [d for i, t in enumerate(array) for d in _describe_times(f"{name}.{i}", t, t)]
    if array.ndim != 0:
        return [_refused(name, f"it holds {array.size} times; export the ones that matter, each by its name", value)]
    if np.isnat(array):
        return [_refused(name, "it is not a time", value)]
    text = np.datetime_as_string(array.astype("datetime64[ns]")) + "Z"
    return [{"name": name, "kind": "time", "time": str(text), "units": ""}]


def _utc64(moment):
    """Turn a datetime into a datetime64; one without a zone is UTC already."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(_datetime.timezone.utc).replace(tzinfo=None)
    return np.datetime64(moment, "ns")


def _refused(name, why, value):
    return {"name": name, "kind": "error", "error": why, "repr": repr(value)[:200]}
