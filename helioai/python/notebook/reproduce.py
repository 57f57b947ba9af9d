"""Run recorded steps again and compare what they give with the record."""

import json as _json
import re as _re

import numpy as np

_computed = {}  # step: {name: document}
_step = "none"
_baseline = None  # the names that every step starts with


def begin(step):
    """Start a recorded step with the names that it had when it was recorded.

    Every script ran by itself, so what another one left behind is removed.
    """
    global _step, _baseline
    names = globals()
    if _baseline is None:
        _baseline = dict(names)
    own = _re.compile(r"(_+|_i*|_+\d+|_i+\d*|_[iod]h|__\w+__|In|Out|_step|_baseline|_computed)$")
    for name in [n for n in names if n not in _baseline and not own.match(n)]:
        del names[name]
    names.update({n: v for n, v in _baseline.items() if not own.match(n)})
    names["__name__"] = "__main__"
    _step = step
    _computed.setdefault(step, {})


def export(name, value, units=""):
    """Print a value and keep it for the comparison at the end."""
    for document in _describe(name, value, units):
        _computed.setdefault(_step, {})[document["name"]] = document
        print(_show(document))


def export_statistics(name, keys):
    """Export the statistics of a dataset; keys are the names of its columns."""
    data = load_data(name)
    table = data.values.reshape(len(data), -1)
    for i, key in enumerate(keys):
        good = np.isfinite(table[:, i])
        export(f"{key}_n_samples", len(data), "count")
        export(f"{key}_n_missing", int(len(data) - good.sum()), "count")
        if not good.any():
            continue
        values, time = table[good, i], data.time[good]
        export(f"{key}_mean", values.mean(), data.units)
        export(f"{key}_median", np.median(values), data.units)
        export(f"{key}_std", values.std(), data.units)
        export(f"{key}_min", values.min(), data.units)
        export(f"{key}_max", values.max(), data.units)
        export(f"{key}_min_time", time[values.argmin()])
        export(f"{key}_max_time", time[values.argmax()])


def compare(file="recorded.json"):
    """Compare every recorded value with the one computed above, to 1e-9."""
    with open(file, encoding="utf-8") as stream:
        record = _json.load(stream)
    wrong, count = [], 0
    for step, documents in record["steps"].items():
        for want in documents:
            count += 1
            got = _computed.get(step, {}).get(want["name"])
            if got is None or not _same(want, got):
                wrong.append(f"{step}: {want['name']} was {_show(want)} and is {_show(got) if got else 'missing'}")
    for cited in record["cited"]:
        got = _computed.get(cited["step"], {}).get(cited["name"])
        print(f"the answer says {cited['text']}: {_show(got) if got else 'not computed'} [{cited['step']}]")
    for line in wrong:
        print("DIFFERS", line)
    if wrong:
        raise AssertionError(f"{len(wrong)} of {count} values are not reproduced")
    print(f"all {count} values reproduced")


def _same(want, got):
    """Equal to 1e-9: of the value itself, or of the largest in its series."""
    if want["kind"] != got["kind"]:
        return False
    if want["kind"] == "number":
        return _close(want["value"], got["value"], want.get("scale", 0.0))
    exact = ("time_ns_unix", "times_ns_unix", "shape", "n_finite", "n_nan")
    if any(want.get(key) != got.get(key) for key in exact):
        return False
    if want["kind"] == "text":  # blanks may stand for tabs and the like
        return want["text"].split() == got["text"].split()
    if "sample" not in want:
        return True
    scale = max(abs(want["min"]), abs(want["max"]))
    pairs = [(want[k], got[k]) for k in ("mean", "std", "min", "max")] + list(zip(want["sample"], got["sample"]))
    return all((a is None and b is None) or (None not in (a, b) and _close(a, b, scale)) for a, b in pairs)


def _close(a, b, scale):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), scale)


def _show(document):
    units = f" {document['units']}" if document.get("units") not in ("", "1", "text", None) else ""
    name, kind = document["name"], document["kind"]
    if kind == "number":
        return f"{name} = {document['value']:.10g}{units}"
    if kind == "time":
        return f"{name} = {_iso(document['time_ns_unix'])}"
    if kind != "series":
        return f"{name}: {document.get('text', document.get('error', ''))}"
    if "times_ns_unix" in document:
        return f"{name}: {document['n_finite']} times, the first {_iso(document['times_ns_unix'][0])}"
    if document["n_finite"] + document["n_nan"] == len(document["sample"]) <= 3:
        return f"{name} = ({', '.join('NaN' if x is None else f'{x:.10g}' for x in document['sample'])}){units}"
    return f"{name}: shape {tuple(document['shape'])}, mean {document['mean']:.10g}{units}"


def _iso(nanoseconds):
    if nanoseconds is None:
        return "NaT"
    text = str(np.datetime64(nanoseconds, "ns"))
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "Z"
