"""The two functions of the package."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from .command import Command, InterleaveError, find_command, run_command
from .results import Result, Study

#: A preset, the path of a file, a link, or the scenario itself.
Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
#: The path of a grid file, or the grid itself.
Grid = Union[str, "os.PathLike[str]", Mapping[str, Any]]
#: One seed, a text such as ``"1-20,33"``, or several seeds.
Seeds = Union[int, str, Iterable[int]]


def run(
    scenario: Scenario,
    *,
    seeds: Optional[Seeds] = None,
    page: Optional[str] = None,
    settings: Optional[Mapping[str, Any]] = None,
    visual: bool = False,
    timeout_s: Optional[float] = None,
    command: Optional[Command] = None,
    **more_settings: Any,
) -> Result:
    """Loads a page in every pane of a scenario, once for each seed.

    ``settings`` changes keys of the scenario, such as ``{"path.loss": 0.03, "panes.1.streams": 4}``. A setting may
    also be an argument whose name has two underscores for each dot: ``path__loss=0.03``.

    :raises InvalidInputError: a setting, the scenario or a seed is invalid. The text names the value and its limits.
    :raises InterleaveError: the command is missing, failed, or took longer than ``timeout_s``.
    """
    words = find_command(command)
    with tempfile.TemporaryDirectory(prefix="interleave-") as folder:
        arguments = ["run", "--json", f"--scenario={_file(scenario, folder, 'scenario.json')}"]
        if page is not None:
            arguments.append(f"--page={page}")
        if seeds is not None:
            arguments.append(f"--seeds={_seeds(seeds)}")
        if visual:
            arguments.append("--visual")
        for key, value in _settings(settings, more_settings):
            arguments.append(f"--set={key}={json.dumps(value)}")
        output = run_command(words, arguments, timeout_s=timeout_s)
    return Result.from_json(_parsed(output))


def experiment(
    grid: Grid,
    *,
    out: Optional[Union[str, "os.PathLike[str]"]] = None,
    resume: bool = False,
    jobs: Optional[int] = None,
    visual: bool = False,
    timeout_s: Optional[float] = None,
    command: Optional[Command] = None,
) -> Study:
    """Runs every combination of a grid's settings with every seed.

    ``out`` is the folder for the results, figures and report. It must be new, or with ``resume`` the folder of a study
    that was interrupted. Without ``out`` the files are deleted, and only the returned numbers are left.

    :raises InvalidInputError: the grid or the folder is invalid.
    :raises InterleaveError: the command is missing, failed, or took longer than ``timeout_s``.
    """
    words = find_command(command)
    with tempfile.TemporaryDirectory(prefix="interleave-") as folder:
        target = Path(folder) / "study" if out is None else Path(out)
        arguments = ["experiment", _operand(_file(grid, folder, "grid.json")), "--json", f"--out={target}"]
        if resume:
            arguments.append("--resume")
        if jobs is not None:
            arguments.append(f"--jobs={jobs}")
        if visual:
            arguments.append("--visual")
        run_command(words, arguments, timeout_s=timeout_s)
        summary = _parsed((target / "summary.json").read_text(encoding="utf-8"))
        with open(target / "results.csv", encoding="utf-8", newline="") as file:
            rows = [{key: _number(text) for key, text in row.items()} for row in csv.DictReader(file)]
    return Study(summary=summary, rows=rows, folder=None if out is None else target)


def _file(given: Union[Scenario, Grid], folder: str, name: str) -> str:
    if not isinstance(given, Mapping):
        return os.fspath(given)
    path = Path(folder) / name
    path.write_text(json.dumps(given), encoding="utf-8")
    return str(path)


def _operand(path: str) -> str:
    # a path that begins with a hyphen would be taken for an option
    return os.path.join(".", path) if path.startswith("-") else path


def _seeds(seeds: Seeds) -> str:
    if isinstance(seeds, (str, int)):
        return str(seeds)
    return ",".join(str(seed) for seed in seeds)


def _settings(settings: Optional[Mapping[str, Any]], more: Mapping[str, Any]) -> List[Tuple[str, Any]]:
    return [*(settings or {}).items(), *((key.replace("__", "."), value) for key, value in more.items())]


def _parsed(text: str) -> Dict[str, Any]:
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError as error:
        raise InterleaveError(f"the command printed no JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise InterleaveError("the command printed JSON that is no object")
    return parsed


def _number(text: Optional[str]) -> Union[None, int, float, str]:
    """Returns the value of a cell of results.csv. An empty cell is None. Text that is not a number stays a text."""
    if not text:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
