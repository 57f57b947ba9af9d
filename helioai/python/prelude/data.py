"""Load data and handle them: missing values are NaN, times are UTC."""

import hashlib as _hashlib
import json as _json
import os as _os

import numpy as np


class Dataset:
    """One measured quantity over time.

    time      (N,) datetime64[ns], UTC
    values    (N,) for a scalar, (N, C) for a vector; missing is NaN
    columns   the C labels
    units     as the archive writes them
    name      what load_data knows it by; label is what a figure calls it
    param_id  the archive's id
    tt2000    (N,) int64, nanoseconds since J2000 with leap seconds, or None
    meta      everything else that is known about it

    >>> t = np.datetime64("2023-01-02T00:00") + np.arange(3) * np.timedelta64(60, "s")
    >>> d = Dataset(t, [[1, 2, 2], [0, 3, 4], [np.nan, 1, 1]], ["Bx", "By", "Bz"], "nT")
    >>> magnitude(d)
    array([ 3.,  5., nan])
    >>> d.column("Bz")
    array([2., 4., 1.])
    >>> d.missing_pct
    11.11111111111111
    """

    def __init__(self, time, values, columns=None, units="", name="", label="", param_id="", tt2000=None, meta=None):
        self.time = np.asarray(time, "datetime64[ns]")
        self.values = np.asarray(values, float)
        if self.time.shape != self.values.shape[:1]:
            raise ValueError(f"time has shape {self.time.shape} and values {self.values.shape}: one record an instant is needed")
        width = 1 if self.values.ndim == 1 else int(np.prod(self.values.shape[1:]))
        self.columns = list(columns) if columns is not None else [label or name or "value"] * width
        if len(self.columns) != width:
            raise ValueError(f"{len(self.columns)} labels for {width} columns")
        self.units, self.name, self.label, self.param_id = units, name, label or name, param_id
        self.tt2000, self.meta = tt2000, meta or {}

    @property
    def missing_pct(self):
        """The share of values that are missing, in percent."""
        return 100.0 * float(np.isnan(self.values).mean()) if self.values.size else 0.0

    def index(self, which):
        """The number of a column, from its number, label, or part of its label."""
        if isinstance(which, (int, np.integer)):
            return range(len(self.columns))[which]
        wanted = str(which).lower()
        labels = [str(c).lower() for c in self.columns]
        found = [i for i, c in enumerate(labels) if c == wanted] or [i for i, c in enumerate(labels) if wanted in c]
        if len(found) != 1:
            raise KeyError(f"{which!r} names {'no' if not found else 'more than one'} column of {self.name}; there are {self.columns}")
        return found[0]

    def column(self, which):
        """The (N,) values of one column, by number or label."""
        i = self.index(which)
        return self.values if self.values.ndim == 1 else self.values.reshape(len(self), -1)[:, i]

    def select(self, *which):
        """The same data with only these columns, by number or label."""
        chosen = [self.index(w) for w in which]
        values = self.values.reshape(len(self), -1)[:, chosen]
        return self._with(self.time, values[:, 0] if len(chosen) == 1 else values, [self.columns[i] for i in chosen], self.tt2000)

    def window(self, start, stop):
        """The records from start to just before stop."""
        keep = (self.time >= np.datetime64(start)) & (self.time < np.datetime64(stop))
        return self._with(self.time[keep], self.values[keep], self.columns, None if self.tt2000 is None else self.tt2000[keep])

    def _with(self, time, values, columns, tt2000):
        return Dataset(time, values, columns, self.units, self.name, self.label, self.param_id, tt2000, self.meta)

    def __len__(self):
        return len(self.time)

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)

    def __repr__(self):
        span = f"{self.time[0]}Z to {self.time[-1]}Z" if len(self) else "empty"
        return f"<Dataset {self.name}: {self.values.shape} {self.columns} ({self.units}), {span}>"


def load_data(name, folder="data"):
    """Return the Dataset of that name, or of that parameter id.

    The names are those that get_timeseries gave. A parameter loaded for several
    windows has several names, so its id alone is refused with the choice.
    """
    known = _datasets(folder)
    if name not in known:
        names = [n for n, entry in known.items() if entry["param_id"] == name]
        if len(names) > 1:
            choice = ", ".join(f"{n} ({known[n]['start']} to {known[n]['stop']})" for n in names)
            raise KeyError(f"{name!r} was loaded for several windows; name one of {choice}")
        if not names:
            raise KeyError(f"no data called {name!r} are loaded; there are: {', '.join(known) or 'none'}")
        name = names[0]
    entry = known[name]
    with np.load(_os.path.join(folder, entry["file"]), allow_pickle=False) as arrays:
        return Dataset(
            arrays["time"],
            arrays["values"],
            entry["columns"],
            entry["units"],
            name,
            entry.get("name") or name,
            entry["param_id"],
            arrays["tt2000"] if "tt2000" in arrays else None,
            entry,
        )


def _datasets(folder):
    try:
        with open(_os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            return _json.load(file)["datasets"]
    except FileNotFoundError:
        return {}


def verify_data(folder="data"):
    """Check every file of the folder against the SHA-256 in its manifest."""
    known = _datasets(folder)
    for name, entry in known.items():
        with open(_os.path.join(folder, entry["file"]), "rb") as file:
            if _hashlib.sha256(file.read()).hexdigest() != entry["sha256"]:
                raise ValueError(f"{entry['file']} is not the file that {name} was computed from: its SHA-256 differs")
    print(f"{len(known)} data files, all as recorded")


def clean(values, fill=None):
    """Return a float copy of values in which fill is NaN.

    Fill is what is not finite, what is 1e30 or more in size, and what equals
    the declared fill value to a relative 1e-6. Data from load_data are clean.

    >>> clean([1.0, -1e31, 99999.8984375, 99093.0], fill=99999.9)
    array([1.0000e+00,        nan,        nan, 9.9093e+04])
    """
    out = np.array(values, float)
    with np.errstate(invalid="ignore"):
        bad = ~np.isfinite(out) | (np.abs(out) >= 1e30)
        if fill is not None:
            fill = np.asarray(fill, float)
            fill = fill.ravel()[0] if fill.size == 1 else fill  # else one a column
            bad |= np.abs(out - fill) <= 1e-6 * np.abs(fill)
    out[bad] = np.nan
    return out


def magnitude(vectors):
    """Return the length of (..., 3) vectors; NaN where a component is missing.

    >>> magnitude([[3.0, 4.0, 0.0], [np.nan, 1.0, 1.0]])
    array([ 5., nan])
    """
    vectors = np.asarray(vectors, float)
    if vectors.ndim == 0 or vectors.shape[-1] != 3:
        raise ValueError(f"magnitude needs vectors of three components, not shape {vectors.shape}")
    return np.sqrt((vectors**2).sum(axis=-1))


def interp_to(t_target, t_source, values, max_gap=None):
    """Interpolate values linearly from t_source to t_target, never across a gap.

    A gap is a step of more than max_gap (a timedelta64; by default three times
    the median step of the records that hold a value). There, and outside the
    source, the result is NaN. values may be (N,) or (N, C).

    >>> t = np.datetime64("2023-01-02T00:00") + np.array([0, 1, 2, 10, 11]) * np.timedelta64(60, "s")
    >>> at = np.datetime64("2023-01-02T00:00") + np.array([30, 300, 600]) * np.timedelta64(1, "s")
    >>> interp_to(at, t, [0.0, 1.0, 2.0, 10.0, 11.0])
    array([ 0.5,  nan, 10. ])
    """
    target = np.asarray(t_target, "datetime64[ns]").astype(np.int64)
    source = np.asarray(t_source, "datetime64[ns]").astype(np.int64)
    values = np.asarray(values, float)
    table = values.reshape(len(source), -1)
    out = np.full((len(target), table.shape[1]), np.nan)
    for c in range(table.shape[1]):
        good = np.isfinite(table[:, c])
        t, v = source[good], table[good, c]
        if t.size == 0:
            continue
        order = np.argsort(t, kind="stable")
        t, v = t[order], v[order]
        steps = np.diff(t)
        if max_gap is not None:
            limit = np.timedelta64(max_gap).astype("timedelta64[ns]").astype(np.int64)
        else:
            limit = 3 * np.median(steps[steps > 0]) if np.any(steps > 0) else 0
        right = np.clip(np.searchsorted(t, target, side="left"), 0, t.size - 1)
        left = np.clip(right - 1, 0, t.size - 1)
        exact = t[right] == target
        inside = (target > t[left]) & (target < t[right]) & (t[right] - t[left] <= limit)
        share = (target - t[left]) / np.maximum(t[right] - t[left], 1)
        out[inside, c] = (v[left] + share * (v[right] - v[left]))[inside]
        out[exact, c] = v[right][exact]
    return out[:, 0] if values.ndim == 1 else out.reshape((len(target),) + values.shape[1:])


def save_path(name):
    """Return the path of a file of your own, beside the script's figures."""
    if name != _os.path.basename(name) or name in ("", ".", ".."):
        raise ValueError(f"{name!r} is not a plain file name")
    return _os.path.join(_os.getcwd(), name)
