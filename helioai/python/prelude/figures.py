"""Figures fit for a paper: stacked time series with UTC ticks and units."""

import re as _re

import numpy as np

# What differs from matplotlib's defaults. The colours are those of Okabe and
# Ito, which colour-blind readers can tell apart; the sizes are for one figure
# across both columns of a journal page.
_STYLE = {
    "figure.figsize": "7.1, 4.4",
    "figure.constrained_layout.use": "True",
    "font.size": "9",
    "axes.titlesize": "10",
    "axes.linewidth": "0.8",
    "axes.grid": "True",
    "axes.axisbelow": "True",
    "axes.formatter.useoffset": "False",
    "axes.prop_cycle": "cycler('color', ['0072B2', 'D55E00', '009E73', 'CC79A7', '000000', '56B4E9', 'E69F00', 'F0E442'])",
    "date.converter": "concise",
    "grid.color": "0.88",
    "grid.linewidth": "0.5",
    "legend.frameon": "False",
    "legend.fontsize": "8",
    "lines.linewidth": "0.9",
    "pdf.fonttype": "42",
    "timezone": "UTC",
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": "True",
    "ytick.right": "True",
}


def plot_series(*panels, title="", marks=None, shade=(), window=None):
    """Draw stacked time-series panels on one UTC axis; return (figure, axes).

    panels   Datasets (load_data gives them; Dataset(time, values, ...) makes
             one of computed values), each with up to eight columns
    marks    {label: time}: vertical lines
    shade    [(start, stop)]: shaded windows
    window   (start, stop): the limits of the axis

    A line is broken where values are missing and where the next record is more
    than three median steps away. The figure is captured when it is shown, or
    at the end of the script; change it through the axes as you like.
    """
    import matplotlib.dates as mdates
    import matplotlib.pyplot as plt

    if not panels:
        raise ValueError("plot_series needs at least one Dataset")
    figure, axes = plt.subplots(
        len(panels), 1, sharex=True, squeeze=False, figsize=(7.1, 1.0 + 1.6 * max(len(panels), 2))
    )
    axes = axes[:, 0]
    for axis, panel in zip(axes, panels):
        _draw_panel(axis, panel)
        for start, stop in shade:
            axis.axvspan(np.datetime64(start), np.datetime64(stop), color="0.85", zorder=0)
        for label, time in (marks or {}).items():
            axis.axvline(np.datetime64(time), color="0.25", linestyle="--", linewidth=0.8)
    locator = mdates.AutoDateLocator(minticks=4, maxticks=9)
    axes[-1].xaxis.set_major_locator(locator)
    axes[-1].xaxis.set_major_formatter(
        mdates.ConciseDateFormatter(
            locator,
            formats=["%Y", "%Y-%m", "%m-%d", "%H:%M", "%H:%M", "%H:%M:%S.%f"],
            zero_formats=["", "%Y", "%Y-%m", "%m-%d", "%H:%M", "%H:%M:%S"],
            offset_formats=["UTC", "%Y UTC", "%Y-%m UTC", "%Y-%m-%d UTC", "%Y-%m-%d UTC", "%Y-%m-%d %H:%M UTC"],
        )
    )
    if window is not None:
        axes[-1].set_xlim(np.datetime64(window[0]), np.datetime64(window[1]))
    else:
        for axis in axes:
            axis.margins(x=0)
    _label_marks(axes[0], marks or {})
    figure.align_ylabels(axes)
    if title:
        axes[0].set_title(title)
    return figure, axes


def _draw_panel(axis, data):
    import matplotlib.ticker as mticker

    if len(data.columns) > 8:
        raise ValueError(f"{data.name} has {len(data.columns)} columns; select up to eight, as in data.select(0, 1, 2)")
    time, table = _break_gaps(data.time, data.values.reshape(len(data), -1))
    for i, label in enumerate(data.columns):
        (line,) = axis.plot(time, table[:, i], label=_pretty(label))
        alone = _alone(table[:, i])
        if alone.any():  # a single value between two gaps has no line
            axis.plot(time[alone], table[alone, i], ".", markersize=2, color=line.get_color())
    if len(data.columns) > 1:
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2)
    label = data.label if len(data.columns) > 1 else data.columns[0]
    axis.set_ylabel(_pretty(label) + (f"\n({_pretty_units(data.units)})" if data.units else ""))
    axis.yaxis.set_minor_locator(mticker.AutoMinorLocator())
    if len(data.columns) > 1 and np.nanmin(table) < 0 < np.nanmax(table):
        axis.axhline(0, color="0.6", linewidth=0.6, zorder=1)


def _label_marks(axis, marks):
    """Write the marks' labels at the top, each in the first row where it is free."""
    import matplotlib.dates as mdates

    if not marks:
        return

    low, high = axis.get_xlim()
    width = 72 * axis.figure.get_figwidth() * axis.get_position().width
    rows = []  # how far each row is taken, as a share of the axis
    for label, time in sorted(marks.items(), key=lambda mark: np.datetime64(mark[1])):
        at = (mdates.date2num(np.datetime64(time)) - low) / (high - low)
        if not 0 <= at <= 1:
            continue
        size = 4.5 * len(label) / width  # a letter of 8 points is about 4.5 wide
        left = at if at + size <= 1 else at - size
        row = next((i for i, taken in enumerate(rows) if taken <= left), len(rows))
        rows[row : row + 1] = [left + size + 0.01]
        axis.annotate(
            label,
            (at, 1.0),
            xycoords="axes fraction",
            xytext=(3 if left == at else -3, -2 - 11 * row),
            textcoords="offset points",
            ha="left" if left == at else "right",
            va="top",
            fontsize=8,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        )
    # Room above the data for the rows.
    bottom, top = axis.get_ylim()
    height = 72 * axis.figure.get_figheight() * axis.get_position().height
    axis.set_ylim(bottom, bottom + (top - bottom) / (1 - 11 * len(rows) / height))


def _break_gaps(time, table):
    """Order the records and put one of NaN into every gap in time."""
    order = np.argsort(time, kind="stable")
    time, table = time[order], table[order]
    some = np.isfinite(table).any(axis=1)
    if not some.any():
        raise ValueError("there is nothing to draw: every value is missing")
    if _median_step(time[some]) > 1.5 * _median_step(time):
        # Few values on a fine grid: the grid's empty records are not gaps.
        time, table = time[some], table[some]
    limit = 3 * _median_step(time)
    if limit == 0:
        return time, table
    gaps = np.flatnonzero(np.diff(time).astype(np.int64) > limit)
    middle = time[gaps] + (time[gaps + 1] - time[gaps]) // 2
    return np.insert(time, gaps + 1, middle), np.insert(table, gaps + 1, np.nan, axis=0)


def _median_step(time):
    steps = np.diff(time).astype(np.int64)
    steps = steps[steps > 0]
    return float(np.median(steps)) if steps.size else 0.0


def _alone(values):
    good = np.concatenate([[False], np.isfinite(values), [False]])
    return good[1:-1] & ~good[:-2] & ~good[2:]


def _pretty(text):
    """Write exponents as superscripts: cm^-3, km s-1.

    >>> _pretty("cm^-3"), _pretty("nT"), _pretty("km s-1"), _pretty("H2-rich")
    ('cm$^{-3}$', 'nT', 'km s$^{-1}$', 'H2-rich')
    """
    text = str(text).replace("$", r"\$")
    text = _re.sub(r"(?:\^|\*\*)\{?(-?\d+)\}?", r"$^{\1}$", text)
    return _re.sub(r"(?<=[a-z])(-\d+)(?=\s|$|/|\))", r"$^{\1}$", text)


def _pretty_units(units):
    """The same for units, where a number behind a letter is an exponent too.

    >>> _pretty_units("N/cm3"), _pretty_units("/cm**3"), _pretty_units("#/cc")
    ('N/cm$^{3}$', '/cm$^{3}$', '#/cc')
    """
    return _re.sub(r"(?<=[A-Za-z])(\d)(?=\s|$|/|\))", r"$^{\1}$", _pretty(units))
