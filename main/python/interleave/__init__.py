"""Page loads over TCP, SCTP, QUIC and UDP on an emulated path, with the command line of Interleave.

:func:`run` loads a page in every pane of a scenario, :func:`experiment` runs a grid of settings and seeds.
"""

from .api import experiment, run
from .command import CommandNotFoundError, InterleaveError, InvalidInputError, TimedOutError, find_command
from .results import Failure, Load, PaneSummary, Result, Statistic, Study, TimedObject

__all__ = [
    "CommandNotFoundError",
    "Failure",
    "InterleaveError",
    "InvalidInputError",
    "Load",
    "PaneSummary",
    "Result",
    "Statistic",
    "Study",
    "TimedObject",
    "TimedOutError",
    "experiment",
    "find_command",
    "run",
]
