"""Tests of the package `interleave`.

The environment variable INTERLEAVE names the program. Run them with `python3 -m unittest discover --start-directory
tests`; main/python/python.test.ts does so in `npm test`.
"""

import dataclasses
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import interleave

SCENARIO = {
    "page": {"synthetic": {"objects": 3, "objectBytes": 4000}},
    "path": {"rateBps": 1_000_000, "rttMs": 100},
    "panes": [{"pipeline": "tcp"}, {"pipeline": "sctp"}],
}


def script(folder, text):
    """Makes a program of Python, which stands for the command line."""
    path = Path(folder) / "program.py"
    path.write_text(text, encoding="utf-8")
    return [sys.executable, str(path)]


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = interleave.run(SCENARIO, seeds=range(1, 4), path__loss=0.02, settings={"panes.1.streams": 2})

    def test_there_is_a_load_for_each_seed_and_pane(self):
        self.assertEqual([(load.seed, load.pane) for load in self.result.loads], [(s, p) for s in (1, 2, 3) for p in (1, 2)])
        self.assertEqual({load.pipeline for load in self.result.of_pane(2)}, {"sctp"})

    def test_both_kinds_of_settings_reach_the_scenario(self):
        self.assertEqual(self.result.scenario["path"]["loss"], 0.02)
        self.assertEqual(self.result.scenario["panes"][1]["streams"], 2)

    def test_a_complete_load_has_times(self):
        load = self.result.loads[0]
        self.assertTrue(load.is_complete)
        self.assertLess(load.p_page_ms[25], load.p_page_ms[100] + 0.001)
        self.assertEqual(load.p_page_ms[100], load.page_time_ms)
        self.assertEqual(len(load.objects), 4)
        self.assertEqual(load.objects[1].size_bytes, 4000)
        self.assertGreater(load.objects[1].complete_ms, load.objects[1].request_ms)
        self.assertGreater(load.packets_down, 8)

    def test_every_field_comes_from_the_key_of_the_same_name(self):
        load = self.result.loads[1]
        for field in dataclasses.fields(load):
            words = field.name.split("_")
            key = words[0] + "".join(word.capitalize() for word in words[1:])
            if key in load.raw and key not in ("objects", "pPageMs", "pRenMs"):
                self.assertEqual(getattr(load, field.name), load.raw[key], field.name)
        self.assertEqual([load.packets_down, load.packets_up], [load.raw["packets"]["down"], load.raw["packets"]["up"]])
        self.assertEqual([load.lost_down, load.lost_up], [load.raw["lost"]["down"], load.raw["lost"]["up"]])

    def test_the_summary_is_that_of_the_loads(self):
        summary = self.result.summary[1]
        times = [load.page_time_ms for load in self.result.of_pane(2)]
        self.assertEqual((summary.pane, summary.pipeline, summary.runs, summary.complete), (2, "sctp", 3, 3))
        self.assertAlmostEqual(summary.page_time_ms.mean, sum(times) / 3)
        low, high = summary.page_time_ms.interval
        self.assertAlmostEqual((low + high) / 2, summary.page_time_ms.mean)
        self.assertAlmostEqual(high - low, 2 * summary.page_time_ms.ci95)
        self.assertEqual(summary.p_page_ms[100].mean, summary.page_time_ms.mean)

    def test_an_incomplete_object_says_why(self):
        (load,) = interleave.run(dict(SCENARIO, panes=[{"pipeline": "tcp"}], timeLimitMs=400)).loads
        index, *others = load.objects
        self.assertIsNone(index.failure)
        failure = others[-1].failure
        self.assertIsInstance(failure, interleave.Failure)
        self.assertEqual((failure.kind, failure.raw["limitMs"]), ("time-limit", 400))
        self.assertEqual(failure.raw, load.raw["objects"][-1]["failure"])

    def test_an_incomplete_load_has_the_times_of_what_happened(self):
        (load,) = interleave.run(dict(SCENARIO, panes=[{"pipeline": "tcp"}], timeLimitMs=400)).loads
        self.assertFalse(load.is_complete)
        self.assertEqual((load.page_time_ms, load.silent_ms), (None, None))
        self.assertEqual(set(load.p_page_ms.values()) | set(load.p_ren_ms.values()), {None})
        self.assertGreater(load.setup_ms, 0)
        self.assertGreater(load.objects[0].complete_ms, load.setup_ms)
        self.assertIsNone(load.objects[-1].complete_ms)

    def test_a_row_has_numbers_with_units_in_their_names(self):
        row = self.result.loads[0].to_row()
        self.assertEqual(row["page_time_ms"], row["p100_page_ms"])
        self.assertNotIn("objects", row)

    def test_a_refused_setting_is_an_exception_with_the_message_of_the_command_line(self):
        with self.assertRaises(interleave.InvalidInputError) as caught:
            interleave.run(SCENARIO, path__loss=2)
        self.assertIn("path.loss is 2: must be a number from 0 to 1", str(caught.exception))
        self.assertNotIn("interleave: ", str(caught.exception))
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIsInstance(caught.exception, ValueError)

    def test_a_text_is_passed_as_one_argument_whatever_is_in_it(self):
        with self.assertRaises(interleave.InvalidInputError) as caught:
            interleave.run("--help; echo $HOME `id`")
        self.assertIn("--help; echo $HOME `id`", str(caught.exception))


class Experiment(FolderTest):
    GRID = {"base": SCENARIO, "axes": {"path.loss": [0, 0.05]}, "seeds": "1-3", "metrics": ["pageTimeMs", "p50PageMs"]}

    def test_a_study_has_rows_statistics_and_files(self):
        folder = Path(self.folder) / "study"
        study = interleave.experiment(self.GRID, out=folder)
        self.assertEqual(study.folder, folder)
        self.assertTrue((folder / "report.html").is_file())
        self.assertEqual(len(study.rows), 12)
        times = [row["p50PageMs"] for row in study.rows if row["path.loss"] == 0.05 and row["pane"] == 2]
        self.assertEqual(study.cells[1]["axes"], {"path.loss": 0.05})
        self.assertAlmostEqual(study.mean(1, 2, "p50PageMs").mean, sum(times) / 3)
        self.assertEqual({row["reason"] for row in study.rows}, {None})
        with self.assertRaises(KeyError):
            study.mean(2, 1, "p50PageMs")
        with self.assertRaises(interleave.InterleaveError) as caught:
            interleave.experiment(self.GRID, out=folder)
        self.assertIn(str(folder), str(caught.exception))


class Dataframes(unittest.TestCase):
    def test_without_pandas_the_error_says_what_to_install(self):
        study = interleave.Study(summary={"cells": []}, rows=[{"seed": 1, "pageTimeMs": 2.5}], folder=None)
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                study.to_dataframe()
        else:
            self.assertEqual(list(study.to_dataframe()["pageTimeMs"]), [2.5])


class Statistics(unittest.TestCase):
    def test_without_complete_loads_there_is_no_interval(self):
        self.assertEqual(str(interleave.Statistic(n=0, mean=None, median=None, ci95=None)), "no complete load")
        single = interleave.Statistic(n=1, mean=4.0, median=4.0, ci95=None)
        self.assertIsNone(single.interval)
        self.assertEqual(str(single), "4.0")


class Finding(FolderTest):
    def program(self, name="interleave"):
        path = Path(self.folder) / name
        path.write_text("#!/bin/sh\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    @unittest.skipIf(os.name == "nt", "the PATH of Windows finds other names")
    def test_the_argument_is_before_the_variable_and_the_variable_before_the_path(self):
        on_path, other, third = self.program(), self.program("other"), self.program("third")
        environ = {"PATH": self.folder, "INTERLEAVE": other}
        self.assertEqual(interleave.find_command(third, environ=environ), [third])
        self.assertEqual(interleave.find_command(environ=environ), [other])
        self.assertEqual(interleave.find_command(environ={"PATH": self.folder}), [on_path])

    @unittest.skipIf(os.name == "nt", "the PATH of Windows finds other names")
    def test_a_whole_command_is_split_and_a_script_is_run_by_node(self):
        self.program("npx"), self.program("node")
        environ = {"PATH": self.folder}
        npx, node = os.path.join(self.folder, "npx"), os.path.join(self.folder, "node")
        self.assertEqual(interleave.find_command("npx interleave", environ=environ), [npx, "interleave"])
        self.assertEqual(interleave.find_command(["npx", "a b"], environ=environ), [npx, "a b"])
        found = self.program("with space.mjs")
        for command in (found, Path(found)):
            self.assertEqual(interleave.find_command(command, environ=environ), [node, found])

    def test_a_missing_program_is_an_exception_that_says_where_it_was_looked_for(self):
        for environ, command, text in [
            ({"PATH": self.folder}, None, "on the PATH"),
            ({"PATH": self.folder, "INTERLEAVE": "nothing"}, None, "INTERLEAVE names nothing"),
            ({"PATH": self.folder}, "nothing.mjs", "the argument command names nothing.mjs"),
            ({"PATH": self.folder}, [], "names no command"),
        ]:
            with self.assertRaisesRegex(interleave.CommandNotFoundError, text):
                interleave.find_command(command, environ=environ)

    @unittest.skipIf(os.name == "nt", "made for the PATH of POSIX")
    def test_a_batch_file_is_never_run(self):
        batch, node = self.program("interleave.cmd"), self.program("node")
        environ = {"PATH": self.folder}
        with self.assertRaisesRegex(interleave.CommandNotFoundError, "batch file"):
            interleave.find_command(batch, environ=environ)
        real = Path(self.folder) / "node_modules/interleave/main/cli/interleave.mjs"
        real.parent.mkdir(parents=True)
        real.touch()
        self.assertEqual(interleave.find_command(batch, environ=environ), [node, str(real)])


class Failing(FolderTest):
    def test_the_error_has_the_whole_message_of_the_program(self):
        command = script(self.folder, "import sys; sys.exit('a warning\\ninterleave: the disk is full\\nsecond line')")
        with self.assertRaises(interleave.InterleaveError) as caught:
            interleave.run("n07-movie", command=command)
        self.assertEqual(str(caught.exception), "the disk is full\nsecond line")
        self.assertEqual(caught.exception.exit_code, 1)
        self.assertIn("--scenario=n07-movie", caught.exception.arguments)

    def test_a_silent_failure_and_broken_json_are_errors_too(self):
        for text, message in [
            ("import sys; sys.exit(3)", "ended with exit code 3"),
            ("print('{')", "printed no JSON"),
            ("print('[]')", "no object"),
        ]:
            with self.assertRaisesRegex(interleave.InterleaveError, message):
                interleave.run("n07-movie", command=script(self.folder, text))

    def test_a_live_load_that_is_not_complete_is_a_result(self):
        text = (
            'import sys; print(\'{"program": "p", "scenario": {}, "runs": [{"seed": 1, "panes": [{"pipeline": "tcp", '
            '"outcome": "aborted", "reason": "the server is gone"}]}]}\'); sys.exit(1)'
        )
        (load,) = interleave.run("live", command=script(self.folder, text)).loads
        self.assertFalse(load.is_complete)
        self.assertEqual((load.outcome, load.reason, load.page_time_ms), ("aborted", "the server is gone", None))

    @unittest.skipIf(os.name == "nt", "a Windows process has no process group to end")
    def test_a_program_that_takes_too_long_is_stopped_with_its_children(self):
        mark = Path(self.folder) / "child"
        command = script(
            self.folder,
            "import subprocess, sys, time\n"
            # it does not share the outputs, so that nobody waits for it
            "quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}\n"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], **quiet)\n"
            f"open({str(mark)!r}, 'w').write(str(child.pid))\ntime.sleep(60)\n",
        )
        with self.assertRaisesRegex(interleave.TimedOutError, "within 0.7 s"):
            interleave.run("n07-movie", command=command, timeout_s=0.7)
        if mark.exists():  # on a slow machine the program may not have come so far
            self.assertTrue(ends(int(mark.read_text())), "the child still runs")


def ends(pid):
    """Whether the process ends; it may be a zombie for a moment."""
    for _ in range(100):
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], stdout=subprocess.PIPE, text=True, check=False).stdout
        if not state or state.startswith("Z"):
            return True
        threading.Event().wait(0.05)
    return False


if __name__ == "__main__":
    unittest.main()
