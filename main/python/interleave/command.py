"""Finds the command line of Interleave and runs it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import List, Mapping, Optional, Sequence, Union

#: A path, a whole command such as ``"npx interleave"``, or the words of a command.
Command = Union[str, "os.PathLike[str]", Sequence[str]]

#: When a program is told to end, it is killed after this time, in seconds.
GRACE_S = 5.0


class InterleaveError(Exception):
    """The program failed. The text is the line that it printed."""

    def __init__(self, message: str, *, exit_code: Optional[int] = None, arguments: Sequence[str] = ()) -> None:
        super().__init__(message)
        #: The program's exit code; ``None`` if it was not started or was stopped.
        self.exit_code = exit_code
        #: The command with its arguments.
        self.arguments = list(arguments)


class InvalidInputError(InterleaveError, ValueError):
    """The program refused a setting, a scenario or a grid (exit code 2)."""


class CommandNotFoundError(InterleaveError, FileNotFoundError):
    """The program is not installed, or it is not where the argument or INTERLEAVE says."""


class TimedOutError(InterleaveError, TimeoutError):
    """The program was stopped, because it did not end within ``timeout_s``."""


def find_command(command: Optional[Command] = None, *, environ: Optional[Mapping[str, str]] = None) -> List[str]:
    """Returns the words with which the program is started.

    The first of these is used: ``command``, the environment variable ``INTERLEAVE``, and ``interleave`` on the PATH. A
    text may be a path or a whole command, such as ``npx interleave``. A JavaScript file is run by ``node``.

    :raises CommandNotFoundError: there is no such program.
    """
    environ = os.environ if environ is None else environ
    if command is not None:
        return _started("the argument command", command, environ)
    if environ.get("INTERLEAVE"):
        return _started("the environment variable INTERLEAVE", environ["INTERLEAVE"], environ)
    if shutil.which("interleave", path=environ.get("PATH")) is None:
        raise CommandNotFoundError(
            "there is no command interleave on the PATH: install Interleave, or name the command in the argument "
            "command or in the environment variable INTERLEAVE, for example main/cli/interleave.mjs of a clone"
        )
    return _started("the PATH", ["interleave"], environ)


def _started(origin: str, command: Command, environ: Mapping[str, str]) -> List[str]:
    words = _words(command)
    if not words:
        raise CommandNotFoundError(f"{origin} names no command")
    if Path(words[0]).suffix in (".js", ".mjs", ".cjs"):
        if not Path(words[0]).is_file():
            raise CommandNotFoundError(f"{origin} names {words[0]}, which is not a file")
        words = ["node", *words]
    program = shutil.which(words[0], path=environ.get("PATH"))
    if program is None:
        raise CommandNotFoundError(f"{origin} names {words[0]}, which is not a program that can be started")
    if Path(program).suffix.lower() in (".cmd", ".bat"):
        return [*_without_batch_file(program, environ), *words[1:]]
    return [program, *words[1:]]


def _words(command: Command) -> List[str]:
    if isinstance(command, str):
        # on Windows a backslash is part of a path
        return [command] if Path(command).is_file() else shlex.split(command, posix=os.name != "nt")
    return [os.fspath(command)] if isinstance(command, os.PathLike) else list(command)


def _without_batch_file(program: str, environ: Mapping[str, str]) -> List[str]:
    """Returns the words that start the program without npm's batch file on Windows.

    Windows runs batch files with cmd.exe, which interprets arguments as a shell does.
    """
    script = Path(program).parent / "node_modules" / "interleave" / "main" / "cli" / "interleave.mjs"
    node = shutil.which("node", path=environ.get("PATH"))
    if not script.is_file() or node is None:
        raise CommandNotFoundError(
            f"{program} is a batch file, which cannot be started safely: name main/cli/interleave.mjs of Interleave"
        )
    return [node, str(script)]


def run_command(command: Sequence[str], arguments: Sequence[str], *, timeout_s: Optional[float]) -> str:
    """Runs the program and returns what it wrote to standard output.

    A live load that is not complete is a result, not an error. The program then ends with exit code 1 and prints JSON.

    :raises InterleaveError: the program failed.
    """
    words = [*command, *arguments]
    # a session of its own, so that the program and its workers and browsers can be stopped together
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=os.name != "nt",
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    ) as process:
        try:
            output, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            _stop(process)
            raise TimedOutError(f"the command did not end within {timeout_s:g} s", arguments=words) from None
        except BaseException:  # Ctrl C reaches only this process
            _stop(process)
            raise
    code = process.returncode
    if code == 0 or (code == 1 and output.startswith("{")):
        return output
    kind = InvalidInputError if code == 2 else InterleaveError
    raise kind(_message(errors, code), exit_code=code, arguments=words)


def _message(errors: str, code: int) -> str:
    lines = errors.strip().splitlines()
    begin = next((at for at, line in enumerate(lines) if line.startswith("interleave: ")), 0)
    text = "\n".join(lines[begin:])
    if text.startswith("interleave: "):
        text = text[len("interleave: ") :]
    return text or f"the command ended with exit code {code} and printed nothing"


def _stop(process: "subprocess.Popen[str]") -> None:
    _signal(process, forcibly=False)
    try:
        process.communicate(timeout=GRACE_S)
    except subprocess.TimeoutExpired:
        _signal(process, forcibly=True)
        process.communicate()


def _signal(process: "subprocess.Popen[str]", *, forcibly: bool) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL if forcibly else signal.SIGTERM)
    except ProcessLookupError:
        pass  # it has just ended
