"""Exact synthetic truths for the recipes, and what they refuse.

Run from this folder with /usr/bin/python3 -m unittest test_recipes.
"""

import os
import unittest

import numpy as np

SHELF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shelf")
R = np.array([[-2, 2, 1], [1, 2, -2], [2, 1, 2]]) / 3  # rows l, m, n


class Recipe:
    """A recipe as the sandbox runs it: bound names, source, exports."""

    def __init__(self, recipe, **bound):
        self.exports, self.units = {}, {}

        def export(name, value, units=""):
            self.exports[name], self.units[name] = value, units

        self.names = {"__name__": recipe, "export": export, **bound}
        with open(os.path.join(SHELF, recipe + ".py"), encoding="utf-8") as file:
            exec(compile(file.read(), recipe + ".py", "exec"), self.names)


class Series:
    """Stands for a Dataset: values with a time axis."""

    def __init__(self, time, values):
        self.time, self.values = time, values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


def minutes(start, count, step_s):
    return np.datetime64(start, "ns") + np.arange(count) * np.timedelta64(int(step_s * 1e9), "ns")


class EveryRecipe(unittest.TestCase):
    def test_nothing_bound_exports_nothing(self):
        for name in os.listdir(SHELF):
            if name.endswith(".py"):
                self.assertEqual(Recipe(name[:-3]).exports, {}, name)

    def test_every_export_carries_a_unit(self):
        angle = np.radians(np.arange(360))
        field = np.transpose([10 * np.cos(angle), 4 * np.sin(angle), np.cos(2 * angle)]) @ R
        runs = [
            Recipe("fill_values", values=[1.0, np.nan]),
            Recipe("mvab", B=field),
            Recipe("mvab", B=field + 1, bn_zero=True),
            Recipe("theta_bn", B_up=[3.0, 4, 0], B_dn=[3.0, 10, 1]),
            Recipe("theta_bn", B=shock(), shock_time="2023-01-02T01:00:00Z"),
        ]
        for run in runs:
            self.assertTrue(run.exports)
            for name, units in run.units.items():
                self.assertTrue(units, name)


class FillValues(unittest.TestCase):
    def test_close_to_the_declared_value_only(self):
        run = Recipe("fill_values", values=[99999.8984375, 99093.0, -1e31, np.inf, 5.0], fill=[99999.9])
        self.assertEqual(run.exports["fill_values_missing"], 3)
        self.assertEqual(run.exports["fill_values_total"], 5)
        self.assertEqual(run.exports["fill_values_missing_pct"], 60.0)
        np.testing.assert_array_equal(run.names["cleaned"], [np.nan, 99093.0, np.nan, np.nan, 5.0])

    def test_one_fill_value_a_column(self):
        run = Recipe("fill_values", values=[[999.9, 1.0], [99999.9, 99999.9]], fill=[999.9, 99999.9])
        self.assertEqual(run.exports["fill_values_missing"], 2)
        self.assertEqual(run.exports["fill_values_rows"], 2)

    def test_whole_rows(self):
        run = Recipe("fill_values", values=[[1.0, 2.0], [np.nan, 3.0]], whole_rows=True)
        self.assertEqual(run.exports["fill_values_missing"], 2)

    def test_nothing_to_count_is_refused(self):
        for values in ([], 3.0, ["a", "b"]):
            with self.assertRaises(ValueError):
                Recipe("fill_values", values=values)


class MinimumVariance(unittest.TestCase):
    def setUp(self):
        angle = np.radians(np.arange(360))
        self.field = np.transpose([10 * np.cos(angle), 4 * np.sin(angle) + 1, np.cos(2 * angle) + 3]) @ R

    def test_exact_truth(self):
        got = Recipe("mvab", B=self.field).exports
        want = {
            "mvab_lambda_max": 50.0,
            "mvab_lambda_int": 8.0,
            "mvab_lambda_min": 0.5,
            "mvab_ratio_int_min": 16.0,
            "mvab_dphi_min_int": np.degrees(0.0140741284),
            "mvab_dphi_min_max": np.degrees(0.0053311092),
            "mvab_dphi_int_max": np.degrees(0.0067378666),
            "mvab_Bn": 3.0,
            "mvab_dBn": 0.0398853200,
            "mvab_n_points": 360,
        }
        for name, value in want.items():
            self.assertAlmostEqual(got[name], value, delta=1e-8 * abs(value), msg=name)
        np.testing.assert_allclose(got["mvab_normal"], [2 / 3, 1 / 3, 2 / 3], atol=1e-13)
        self.assertTrue(got["mvab_quality"].startswith("good"))

    def test_a_strong_mean_field_costs_no_digits(self):
        got = Recipe("mvab", B=self.field + 40000 * R[1]).exports
        self.assertAlmostEqual(got["mvab_lambda_min"], 0.5, delta=1e-8)

    def test_quality_by_ratio(self):
        angle = np.radians(np.arange(360))
        for smallest, word in ((0.5, "good"), (1.5, "acceptable"), (3.0, "poor")):
            field = np.transpose([10 * np.cos(angle), 4 * np.sin(angle), smallest * np.cos(2 * angle)]) @ R
            self.assertTrue(Recipe("mvab", B=field).exports["mvab_quality"].startswith(word), word)

    def test_normal_held_perpendicular_to_the_mean_field(self):
        got = Recipe("mvab", B=self.field, bn_zero=True).exports
        self.assertAlmostEqual(got["mvab_lambda_max"], 50.0, delta=1e-9)
        self.assertAlmostEqual(got["mvab_lambda_int"], 7.25, delta=1e-9)
        want = (R[2] - 3 * R[1]) / np.sqrt(10)
        self.assertAlmostEqual(abs(want @ got["mvab_normal"]), 1.0, delta=1e-12)
        self.assertAlmostEqual(got["mvab_normal"] @ (R[1] + 3 * R[2]), 0.0, delta=1e-12)

    def test_planar_field_has_a_normal_and_no_error(self):
        angle = np.radians(np.arange(360))
        got = Recipe("mvab", B=np.transpose([5 * np.cos(angle), 3 * np.sin(angle), 0 * angle + 2]) @ R).exports
        self.assertAlmostEqual(abs(got["mvab_normal"] @ R[2]), 1.0, delta=1e-9)
        self.assertTrue(got["mvab_quality"].startswith("planar"))
        self.assertFalse({"mvab_ratio_int_min", "mvab_dphi_min_int", "mvab_dBn"} & set(got))

    def test_incomplete_rows_are_left_out_and_few_points_are_told(self):
        field = np.vstack([self.field[::30], [[np.nan, 1, 1], [1e31, 1, 1]]])
        got = Recipe("mvab", B=field).exports
        self.assertEqual(got["mvab_n_points"], 12)
        self.assertIn("only 12 points", got["mvab_quality"])

    def test_refusals_hold_no_number(self):
        angle = np.radians(np.arange(360))
        circle = np.transpose([5 * np.cos(angle), np.sin(angle), np.cos(angle * 2)])
        for B in (
            np.ones((50, 3)),
            circle,  # two equal smallest variances
            self.field[:3],
            self.field[:, :2],
            [["a", "b", "c"]] * 5,
        ):
            with self.assertRaises(ValueError):
                Recipe("mvab", B=B)
        with self.assertRaises(ValueError):
            Recipe("mvab", B=self.field - self.field.mean(axis=0), bn_zero=True)


def shock(seed=0, noise=0.05, step_s=3, ramp=0):
    """Two hours with a shock at 01:00 whose normal is x and whose theta is 60."""
    time = minutes("2023-01-02T00:00", int(7200 / step_s), step_s)
    up = 5 * np.array([np.cos(np.radians(60)), np.sin(np.radians(60)), 0])
    down = up * [1, 2.5, 1]
    at = np.datetime64("2023-01-02T01:00")
    share = np.clip((time - at) / np.timedelta64(max(ramp, 1), "s") + (0 if ramp else 1), 0, 1)[:, np.newaxis]
    values = up + share * (down - up) + np.random.default_rng(seed).normal(scale=noise, size=(len(time), 3))
    return Series(time, values)


class ShockNormal(unittest.TestCase):
    def test_exact_truths(self):
        got = Recipe("theta_bn", B_up=R.T @ [0, 4, 3], B_dn=R.T @ [0, 10, 3]).exports
        self.assertAlmostEqual(got["theta_bn"], 53.130102354156, delta=1e-9)
        np.testing.assert_allclose(got["shock_normal"], [2 / 3, 1 / 3, 2 / 3], atol=1e-12)
        got = Recipe("theta_bn", B_up=[5, -2, 1], B_dn=[15, -8, 4]).exports
        self.assertAlmostEqual(got["theta_bn"], 80.24, delta=5e-3)
        np.testing.assert_allclose(got["shock_normal"], [0.5571, 0.7428, -0.3714], atol=5e-5)

    def test_means_are_over_complete_rows(self):
        up = [[3.0, 4, 0], [1e31, 0, 0], [np.nan, 1, 1], [3.0, 4, 0]]
        got = Recipe("theta_bn", B_up=up, B_dn=[3, 10, 0.5]).exports
        np.testing.assert_array_equal(got["B_up_mean_nT"], [3, 4, 0])
        self.assertAlmostEqual(got["B_up_mag_nT"], 5.0)

    def test_collinear_fields_are_refused(self):
        for up, down in (([5, -2, 1], [10, -4, 2]), ([0, 0, 0], [1, 2, 3]), ([np.nan] * 3, [1, 2, 3])):
            with self.assertRaises(ValueError):
                Recipe("theta_bn", B_up=up, B_dn=down)

    def test_series_with_the_time_of_the_shock(self):
        got = Recipe("theta_bn", B=shock(), shock_time="2023-01-02T01:00:00Z").exports
        self.assertAlmostEqual(got["theta_bn"], 60.0, delta=0.5)
        self.assertGreater(abs(got["shock_normal"][0]), 0.9999)
        for name in ("theta_bn_window_spread_deg", "theta_bn_sampling_std_deg", "normal_spread_deg", "Bn_std_nT"):
            self.assertGreater(got[name], 0, name)
            self.assertLess(got[name], 0.5, name)

    def test_the_same_data_give_the_same_spreads(self):
        first, second = (Recipe("theta_bn", B=shock(), shock_time="2023-01-02T01:00").exports for _ in range(2))
        self.assertEqual(first["theta_bn_sampling_std_deg"], second["theta_bn_sampling_std_deg"])

    def test_ramp_inside_a_window_is_refused(self):
        with self.assertRaisesRegex(ValueError, "drifts|ramp"):
            Recipe("theta_bn", B=shock(ramp=600), shock_time="2023-01-02T01:00")
        with self.assertRaisesRegex(ValueError, "ramp"):
            Recipe("theta_bn", B=shock(), shock_time="2023-01-02T01:05")

    def test_too_few_vectors_are_refused(self):
        with self.assertRaisesRegex(ValueError, "0 complete"):
            Recipe("theta_bn", B=shock(), shock_time="2023-01-03T01:00")

    def test_search_finds_the_shock(self):
        got = Recipe("theta_bn", B=shock()).exports
        off = abs(got["shock_time"] - np.datetime64("2023-01-02T01:00")) / np.timedelta64(1, "s")
        self.assertLessEqual(off, 3)
        self.assertEqual(got["shock_candidates"], 1)
        self.assertAlmostEqual(got["theta_bn"], 60.0, delta=0.5)

    def test_plasma_puts_the_shock_before_a_stronger_rise(self):
        series = shock()
        at = np.datetime64("2023-01-02T01:00")
        late = (series.time >= np.datetime64("2023-01-02T01:40")) & (series.time < np.datetime64("2023-01-02T01:50"))
        series.values[late] *= 6
        step = (series.time >= at).astype(float)
        density, speed = Series(series.time, 5 + 8 * step), Series(series.time, 400 + 100 * step)
        plain = Recipe("theta_bn", B=series).names["shock_candidates"](series.values, series.time)
        self.assertGreater(plain[0]["time"], np.datetime64("2023-01-02T01:30"))
        got = Recipe("theta_bn", B=series, density=density, speed=speed).exports
        self.assertLessEqual(abs(got["shock_time"] - at), np.timedelta64(3, "s"))

    def test_a_quiet_series_is_refused(self):
        quiet = shock()
        quiet.values[:] = [5, 0, 0]
        with self.assertRaisesRegex(ValueError, "no rise"):
            Recipe("theta_bn", B=quiet)


if __name__ == "__main__":
    unittest.main()
