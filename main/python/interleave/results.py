"""What the program found. Times are in ms. The names of numbers end with their units."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Failure:
    """Why an object is not complete."""

    #: The kind of failure, such as ``"status"``, ``"aborted"`` or ``"time-limit"``. The JSON Schema of results lists all.
    kind: str
    #: All that the program printed about the failure. The keys besides ``kind`` depend on the kind: a ``time-limit`` has
    #: ``limitMs``, ``bytes`` and ``ofBytes``.
    raw: Json

    @classmethod
    def from_json(cls, given: Optional[Json]) -> Optional[Failure]:
        return None if given is None else cls(kind=given["kind"], raw=given)


@dataclass(frozen=True)
class TimedObject:
    """One object of the page. Times count from navigation. A time is ``None`` if its event did not happen."""

    url: str
    size_bytes: int
    stream: Optional[int]
    request_ms: Optional[float]
    first_byte_ms: Optional[float]
    complete_ms: Optional[float]
    latency_ms: Optional[float]
    #: Why the object is not complete. ``None`` if nothing failed.
    failure: Optional[Failure]

    @classmethod
    def from_json(cls, given: Json) -> TimedObject:
        return cls(
            url=given["url"],
            size_bytes=given["bytes"],
            stream=given.get("stream"),
            request_ms=given.get("requestMs"),
            first_byte_ms=given.get("firstByteMs"),
            complete_ms=given.get("completeMs"),
            latency_ms=given.get("latencyMs"),
            failure=Failure.from_json(given.get("failure")),
        )


@dataclass(frozen=True)
class Load:
    """The load of one pane with one seed. If it is incomplete, page time, PPage, PRen and silent time are ``None``."""

    seed: int
    #: The number of the pane, from 1.
    pane: int
    pipeline: str
    outcome: str
    #: Why the load is not complete.
    reason: Optional[str]
    setup_ms: Optional[float]
    page_time_ms: Optional[float]
    #: The time from the first request until every object has at least this percentage of its bytes.
    p_page_ms: Mapping[int, Optional[float]]
    p_ren_ms: Mapping[int, Optional[float]]
    silent_ms: Optional[float]
    packets_down: Optional[int]
    packets_up: Optional[int]
    lost_down: Optional[int]
    lost_up: Optional[int]
    retransmitted: Optional[int]
    hol_blocked_ms: Optional[float]
    hol_blocked_bytes: Optional[int]
    longest_wait_ms: Optional[float]
    objects: Tuple[TimedObject, ...]
    #: All that the program printed about this load.
    raw: Json

    @property
    def is_complete(self) -> bool:
        return self.outcome == "complete"

    @classmethod
    def from_json(cls, seed: int, pane: int, given: Json) -> Load:
        packets, lost = given.get("packets") or {}, given.get("lost") or {}
        return cls(
            seed=seed,
            pane=pane,
            pipeline=given["pipeline"],
            outcome=given["outcome"],
            reason=given.get("reason"),
            setup_ms=given.get("setupMs"),
            page_time_ms=given.get("pageTimeMs"),
            p_page_ms=_by_percent(given.get("pPageMs")),
            p_ren_ms=_by_percent(given.get("pRenMs")),
            silent_ms=given.get("silentMs"),
            packets_down=packets.get("down"),
            packets_up=packets.get("up"),
            lost_down=lost.get("down"),
            lost_up=lost.get("up"),
            retransmitted=given.get("retransmitted"),
            hol_blocked_ms=given.get("holBlockedMs"),
            hol_blocked_bytes=given.get("holBlockedBytes"),
            longest_wait_ms=given.get("longestWaitMs"),
            objects=tuple(TimedObject.from_json(one) for one in given.get("objects", ())),
            raw=given,
        )

    def to_row(self) -> Dict[str, Any]:
        """Returns the numbers of the load by name, without its objects."""
        names = (
            "seed pane pipeline outcome reason setup_ms page_time_ms silent_ms packets_down packets_up lost_down lost_up "
            "retransmitted hol_blocked_ms hol_blocked_bytes longest_wait_ms"
        )
        row = {name: getattr(self, name) for name in names.split()}
        row.update({f"p{percent}_page_ms": time for percent, time in self.p_page_ms.items()})
        row.update({f"p{percent}_ren_ms": time for percent, time in self.p_ren_ms.items()})
        return row


@dataclass(frozen=True)
class Statistic:
    """A statistic of one metric over the complete loads of several seeds."""

    n: int
    mean: Optional[float]
    median: Optional[float]
    #: Half of the mean's 95 % confidence interval. ``None`` if fewer than two loads are complete.
    ci95: Optional[float]

    @property
    def interval(self) -> Optional[Tuple[float, float]]:
        """The mean's 95 % confidence interval."""
        if self.mean is None or self.ci95 is None:
            return None
        return (self.mean - self.ci95, self.mean + self.ci95)

    @classmethod
    def from_json(cls, given: Optional[Json]) -> Optional[Statistic]:
        if given is None:
            return None
        return cls(n=given["n"], mean=given.get("mean"), median=given.get("median"), ci95=given.get("ci95"))

    def __str__(self) -> str:
        if self.mean is None:
            return "no complete load"
        return f"{self.mean:.1f}" if self.ci95 is None else f"{self.mean:.1f} ± {self.ci95:.1f}"


@dataclass(frozen=True)
class PaneSummary:
    """The loads of one pane over all seeds."""

    #: The number of the pane, from 1.
    pane: int
    pipeline: str
    runs: int
    complete: int
    page_time_ms: Optional[Statistic]
    p_page_ms: Mapping[int, Optional[Statistic]]
    #: All that the program printed about this pane, including its comparison with the first pane.
    raw: Json

    @classmethod
    def from_json(cls, pane: int, given: Json) -> PaneSummary:
        return cls(
            pane=pane,
            pipeline=given["pipeline"],
            runs=given["runs"],
            complete=given["complete"],
            page_time_ms=Statistic.from_json(given.get("pageTimeMs")),
            p_page_ms={int(key): Statistic.from_json(one) for key, one in (given.get("pPageMs") or {}).items()},
            raw=given,
        )


@dataclass(frozen=True)
class Result:
    """What :func:`interleave.run` returns."""

    #: The program's name and version.
    program: str
    #: The scenario with all its keys. The run can be repeated with it.
    scenario: Json
    loads: Tuple[Load, ...]
    #: One entry for each pane. Empty if the program printed none.
    summary: Tuple[PaneSummary, ...]
    #: All that the program printed.
    raw: Json

    @classmethod
    def from_json(cls, given: Json) -> Result:
        loads = tuple(
            Load.from_json(one["seed"], pane, load)
            for one in given["runs"]
            for pane, load in enumerate(one["panes"], start=1)
        )
        summary = tuple(PaneSummary.from_json(pane, one) for pane, one in enumerate(given.get("summary") or (), start=1))
        return cls(program=given["program"], scenario=given["scenario"], loads=loads, summary=summary, raw=given)

    def of_pane(self, pane: int) -> Tuple[Load, ...]:
        """Returns the loads of a pane, in the order of the seeds. The first pane is 1."""
        return tuple(load for load in self.loads if load.pane == pane)

    def to_dataframe(self) -> Any:
        """Returns a pandas DataFrame with a row for each seed and pane.

        :raises ImportError: pandas is not installed.
        """
        return _pandas().DataFrame([load.to_row() for load in self.loads])


@dataclass(frozen=True)
class Study:
    """What :func:`interleave.experiment` returns."""

    #: The contents of summary.json: the grid, the cells with their statistics, and the comparisons of panes.
    summary: Json
    #: The rows of results.csv: one for each run and pane. An empty cell is None.
    rows: List[Dict[str, Any]]
    #: The folder with the figures and the report. ``None`` if the caller gave no folder.
    folder: Optional[Path]

    @property
    def cells(self) -> List[Json]:
        return list(self.summary["cells"])

    def mean(self, cell: int, pane: int, metric: str) -> Optional[Statistic]:
        """Returns the statistic of a metric, such as ``"p50PageMs"``. Cells are numbered from 0, panes from 1.

        :raises KeyError: there is no such cell, pane or metric.
        """
        for one in self.summary["cells"]:
            if one["cell"] == cell:
                for found in one["panes"]:
                    if found["pane"] == pane:
                        return Statistic.from_json(found["metrics"][metric])
        raise KeyError(f"the study has no pane {pane} in a cell {cell}")

    def to_dataframe(self) -> Any:
        """Returns the rows as a pandas DataFrame.

        :raises ImportError: pandas is not installed.
        """
        return _pandas().DataFrame(self.rows)


def _by_percent(given: Optional[Json]) -> Dict[int, Optional[float]]:
    return {int(percent): time for percent, time in (given or {}).items()}


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError("DataFrames need pandas: pip install pandas") from error
