"""The helpers that scripts and notebooks use.

Run from this folder with /usr/bin/python3 -m unittest test_prelude.
"""

import datetime
import doctest
import hashlib
import io
import json
import os
import sys
import tempfile
import types
import unittest
from contextlib import chdir, redirect_stdout

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PRELUDE = ["prelude/values.py", "prelude/data.py", "prelude/figures.py"]
NOTEBOOK = PRELUDE + ["notebook/reproduce.py", "notebook/formulary.py"]


def load(files):
    """Execute the files in one namespace, as the sandbox and a notebook do."""
    module = types.ModuleType("prelude_under_test")
    sys.modules[module.__name__] = module
    for name in files:
        with open(os.path.join(HERE, "..", name), encoding="utf-8") as file:
            exec(compile(file.read(), name, "exec"), module.__dict__)
    return module


def write_folder(folder, **datasets):
    """Write data as get_timeseries does: name=(param_id, values)."""
    os.mkdir(os.path.join(folder, "data"))
    manifest = {}
    for name, (param_id, values) in datasets.items():
        values = np.asarray(values, float)
        time = np.datetime64("2023-01-02T00:00", "ns") + np.arange(len(values)) * np.timedelta64(60, "s")
        path = os.path.join(folder, "data", name + ".npz")
        np.savez(path, time=time, values=values, tt2000=time.astype(np.int64))
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        manifest[name] = {
            "file": name + ".npz",
            "param_id": param_id,
            "name": name.upper(),
            "units": "nT",
            "columns": ["x", "y", "z"][: values.shape[1]] if values.ndim > 1 else ["x"],
            "start": "2023-01-02T00:00:00Z",
            "stop": "2023-01-03T00:00:00Z",
            "sha256": digest,
        }
    with open(os.path.join(folder, "data", "manifest.json"), "w", encoding="utf-8") as file:
        json.dump({"datasets": manifest}, file)


class Documentation(unittest.TestCase):
    def test_examples_in_docstrings(self):
        result = doctest.testmod(load(PRELUDE))
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 12)


class Values(unittest.TestCase):
    def setUp(self):
        self.describe = load(PRELUDE)._describe

    def one(self, value, units=""):
        (document,) = self.describe("v", value, units)
        return document

    def test_whole_numbers_stay_whole(self):
        for value in (2, np.int64(2), np.uint8(2), np.array(2)):
            self.assertEqual(json.dumps(self.one(value)["value"]), "2", repr(value))
        for value in (2.0, np.float32(2), np.array(2.0)):
            self.assertEqual(json.dumps(self.one(value)["value"]), "2.0", repr(value))
        self.assertEqual(json.dumps(self.one(np.array([1, 2]))["sample"]), "[1, 2]")
        self.assertEqual(json.dumps(self.one(True)["value"]), "1")
        self.assertEqual(self.one(np.timedelta64(90, "m")), {"name": "v", "kind": "number", "units": "s", "value": 5400.0})

    def test_times_of_every_kind(self):
        want = 1672630861500000000
        zone = datetime.timezone(datetime.timedelta(hours=2))
        for value in (
            np.datetime64("2023-01-02T03:41:01.5"),
            datetime.datetime(2023, 1, 2, 3, 41, 1, 500000),
            datetime.datetime(2023, 1, 2, 5, 41, 1, 500000, tzinfo=zone),
            np.array("2023-01-02T03:41:01.5", "datetime64[ms]"),
        ):
            self.assertEqual(self.one(value)["time_ns_unix"], want, repr(value))
        got = self.one(np.array(["1970-01-01", "NaT", "1970-01-02"], "datetime64[D]"))
        self.assertEqual((got["shape"], got["n_finite"], got["n_nan"]), ([3], 2, 1))
        self.assertEqual(got["times_ns_unix"], [0, None, 86400 * 10**9])

    def test_arrays_keep_shape_gaps_and_first_elements(self):
        got = self.one(np.array([[1.0, np.nan, 3.0], [4.0, 5.0, np.inf]]), "nT")
        self.assertEqual((got["shape"], got["n_finite"], got["n_nan"]), ([2, 3], 4, 2))
        self.assertEqual((got["mean"], got["min"], got["max"]), (3.25, 1.0, 5.0))
        self.assertEqual(got["sample"], [1.0, None, 3.0, 4.0, 5.0, None])
        self.assertEqual(self.one(np.ma.masked_less([1.0, 2.0, 3.0], 2))["n_nan"], 1)
        self.assertEqual(self.one(np.ma.masked_less([1, 2, 3], 2))["n_nan"], 1)

    def test_a_dataset_brings_its_units(self):
        module = load(PRELUDE)
        time = np.array(["2023-01-02"], "datetime64[D]")
        self.assertEqual(module._describe("b", module.Dataset(time, [1.0], units="nT"))[0]["units"], "nT")

    def test_what_cannot_be_recorded_gives_a_reason_and_no_number(self):
        for value in (np.nan, np.inf, None, 1j, object(), [], [np.nan], {"a"}, [[1], [2, 3]], np.datetime64("NaT"), ["x", "y"]):
            got = self.one(value)
            self.assertEqual(got["kind"], "error", repr(value))
            self.assertNotIn("value", got)
            self.assertTrue(got["error"])

    def test_documents_are_json(self):
        for value in (1, [1.0, np.nan], np.datetime64("2023-01-02"), "text", np.nan, {"a": {"b": np.float32(0.1)}}):
            json.dumps(self.describe("v", value), allow_nan=False)


class Data(unittest.TestCase):
    def test_loads_by_name_and_by_id(self):
        module = load(PRELUDE)
        with tempfile.TemporaryDirectory() as folder:
            write_folder(folder, b=("local/x/B", [[1, 2, 2], [np.nan, 0, 0]]), n=("local/x/N", [5, 6]), n_2=("local/x/N", [7, 8]))
            with chdir(folder):
                b = module.load_data("b")
                self.assertEqual((b.name, b.label, b.units, b.columns), ("b", "B", "nT", ["x", "y", "z"]))
                self.assertEqual(module.load_data("local/x/B").name, "b")
                self.assertAlmostEqual(b.missing_pct, 100 / 6)
                np.testing.assert_array_equal(module.magnitude(b), [3.0, np.nan])
                self.assertEqual(b.tt2000.dtype, np.int64)
                with self.assertRaisesRegex(KeyError, "n_2"):
                    module.load_data("local/x/N")
                with self.assertRaisesRegex(KeyError, "there are: b, n, n_2"):
                    module.load_data("c")

    def test_changed_files_are_noticed(self):
        module = load(PRELUDE)
        with tempfile.TemporaryDirectory() as folder:
            write_folder(folder, b=("local/x/B", [1, 2]))
            with chdir(folder), redirect_stdout(io.StringIO()):
                module.verify_data()
                np.savez("data/b.npz", time=np.array(["2023"], "datetime64[Y]"), values=[1.0])
                with self.assertRaisesRegex(ValueError, "SHA-256"):
                    module.verify_data()

    def test_columns_windows_and_selections(self):
        module = load(PRELUDE)
        time = np.datetime64("2023-01-02T00:00") + np.arange(3) * np.timedelta64(1, "h")
        d = module.Dataset(time, np.arange(9).reshape(3, 3), ["Bx GSM", "By GSM", "Bz GSM"], "nT")
        self.assertEqual(d.column("bz").tolist(), [2, 5, 8])
        self.assertEqual(d.column(-1).tolist(), [2, 5, 8])
        self.assertEqual(d.select("bx", 2).columns, ["Bx GSM", "Bz GSM"])
        self.assertEqual(d.select("by").values.tolist(), [1, 4, 7])
        self.assertEqual(len(d.window("2023-01-02T00:00", "2023-01-02T02:00")), 2)
        with self.assertRaisesRegex(KeyError, "more than one"):
            d.column("gsm")
        with self.assertRaisesRegex(KeyError, "no column"):
            d.column("speed")

    def test_magnitude_needs_three_components(self):
        module = load(PRELUDE)
        for bad in ([1.0, 2.0], [[1.0, 2.0]], 3.0):
            with self.assertRaises(ValueError):
                module.magnitude(bad)

    def test_interpolation_keeps_gaps_and_columns(self):
        module = load(PRELUDE)
        time = np.datetime64("2023-01-02T00:00") + np.arange(4) * np.timedelta64(60, "s")
        at = time[:3] + np.timedelta64(30, "s")
        got = module.interp_to(at, time, [[0, 0], [1, np.nan], [2, np.nan], [3, 3]], max_gap=np.timedelta64(90, "s"))
        np.testing.assert_array_equal(got, [[0.5, np.nan], [1.5, np.nan], [2.5, np.nan]])
        outside = module.interp_to([np.datetime64("2022-01-01")], time, np.arange(4.0))
        self.assertTrue(np.isnan(outside).all())

    def test_paths_stay_in_the_workspace(self):
        module = load(PRELUDE)
        for bad in ("../x", "/etc/x", "a/b", "", ".."):
            with self.assertRaises(ValueError):
                module.save_path(bad)


class Figures(unittest.TestCase):
    def setUp(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        self.module = load(PRELUDE)
        matplotlib.rcParams.update(self.module._STYLE)

    def tearDown(self):
        import matplotlib.pyplot as plt

        plt.close("all")

    def data(self, values, hours=None, **more):
        time = np.datetime64("2023-01-02T00:00") + np.asarray(hours or range(len(values))) * np.timedelta64(1, "h")
        return self.module.Dataset(time, values, **more)

    def test_a_line_is_not_drawn_across_a_gap(self):
        d = self.data([1.0, 2, 3, np.nan, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 20, 21], units="nT", label="B")
        _, axes = self.module.plot_series(d)
        y = axes[0].lines[0].get_ydata()
        self.assertEqual(np.isnan(y).tolist(), [False] * 3 + [True] + [False] * 2 + [True] + [False] * 2)

    def test_few_values_on_a_fine_grid_are_a_line(self):
        values = np.full(100, np.nan)
        values[::10] = 1.0
        _, axes = self.module.plot_series(self.data(values, label="B"))
        self.assertFalse(np.isnan(axes[0].lines[0].get_ydata()).any())

    def test_labels_units_and_one_axis_for_all(self):
        b = self.data(np.eye(3), columns=["Bx", "By", "Bz"], units="nT", label="B")
        n = self.data([1.0, 2, 3], columns=["N"], units="cm^-3")
        figure, axes = self.module.plot_series(b, n, title="demo", marks={"here": "2023-01-02T01:00"}, shade=[("2023-01-02T00:00", "2023-01-02T01:00")])
        self.assertEqual(axes[0].get_ylabel(), "B\n(nT)")
        self.assertEqual(axes[1].get_ylabel(), "N\n(cm$^{-3}$)")
        self.assertEqual(axes[0].get_xlim(), axes[1].get_xlim())
        figure.canvas.draw()
        self.assertIn("UTC", axes[1].xaxis.get_major_formatter().get_offset())

    def test_nothing_to_draw_is_refused(self):
        for bad in ([], [self.data([np.nan, np.nan])], [self.data(np.zeros((2, 9)))]):
            with self.assertRaises(ValueError):
                self.module.plot_series(*bad)


class Reproduction(unittest.TestCase):
    def setUp(self):
        self.module = load(NOTEBOOK)
        self.out = io.StringIO()

    def compare(self, record):
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(self.out):
            path = os.path.join(folder, "recorded.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(record, file)
            self.module.compare(path)

    def record(self, **values):
        documents = [d for name, value in values.items() for d in self.module._describe(name, value, "nT")]
        return {"steps": {"code_0.py": documents}, "cited": [{"text": "3.67 nT", "step": "code_0.py", "name": "mean"}]}

    def run_step(self, **values):
        with redirect_stdout(self.out):
            self.module.begin("code_0.py")
            for name, value in values.items():
                self.module.export(name, value, "nT")

    def test_equal_values_are_reproduced(self):
        values = {"mean": 3.67, "b": np.array([1.0, np.nan]), "when": np.datetime64("2023-01-02"), "word": "good"}
        self.run_step(**values)
        self.compare(self.record(**values))
        self.assertIn("all 4 values reproduced", self.out.getvalue())
        self.assertIn("the answer says 3.67 nT: mean = 3.67 nT", self.out.getvalue())

    def test_any_difference_is_told(self):
        want = {"mean": 3.67, "b": [1.0, 2.0], "when": np.datetime64("2023-01-02"), "word": "good"}
        for change in ({"mean": 3.67 * (1 + 2e-9)}, {"b": [1.0, 2.00001]}, {"b": [1.0, np.nan]}, {"when": np.datetime64("2023-01-03")}, {"word": "bad"}, {"mean": "3.67"}):
            self.run_step(**{**want, **change})
            with self.assertRaisesRegex(AssertionError, "1 of 4"):
                self.compare(self.record(**want))
        self.module._computed.clear()
        with self.assertRaisesRegex(AssertionError, "4 of 4"):
            self.compare(self.record(**want))

    def test_rounding_near_zero_is_relative_to_the_data(self):
        self.run_step(mean=1e-12)
        record = self.record(mean=1.1e-12)
        with self.assertRaises(AssertionError):
            self.compare(record)
        record["steps"]["code_0.py"][0]["scale"] = 5.0
        self.compare(record)

    def test_each_step_starts_with_fresh_names(self):
        names = self.module.__dict__
        self.run_step()
        exec("x = 1\n_y = 2\nclean = None\n__name__ = 'recipe'", names)
        self.run_step()
        self.assertNotIn("x", names)
        self.assertNotIn("_y", names)
        self.assertTrue(callable(names["clean"]))
        self.assertEqual(names["__name__"], "__main__")

    def test_statistics_of_a_dataset(self):
        with tempfile.TemporaryDirectory() as folder:
            write_folder(folder, b=("local/x/B", [[1, np.nan], [4, np.nan], [np.nan, np.nan]]))
            with chdir(folder), redirect_stdout(self.out):
                self.module.begin("statistics of b")
                self.module.export_statistics("b", ["b_x", "b_y"])
        got = self.module._computed["statistics of b"]
        self.assertEqual(got["b_x_mean"]["value"], 2.5)
        self.assertEqual(got["b_x_std"]["value"], 1.5)
        self.assertEqual(got["b_x_n_missing"]["value"], 1)
        self.assertEqual(got["b_x_max_time"]["time_ns_unix"], np.datetime64("2023-01-02T00:01", "ns").astype(int))
        self.assertEqual(sorted(n for n in got if n.startswith("b_y")), ["b_y_n_missing", "b_y_n_samples"])


if __name__ == "__main__":
    unittest.main()
