"""Messages for everything that can be wrong with a DAG file: the thing, the place, the remedy."""

from __future__ import annotations

import traceback
from types import TracebackType

from gnomon.author_code.loading.provider_names import find_absent_package, shorten
from gnomon.author_code.processes.author_frames import parse_fault_dump
from gnomon.author_code.processes.author_traceback import AUTHOR_TRACEBACK_MAX, is_author_file
from gnomon.author_code.processes.exit_reasons import describe_crash
from gnomon.authoring.sdk.signatures.old_arguments import suggest_keyword
from gnomon.ground.log.secret_masks import hide
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.error_text import (
    class_name,
    describe_error,
    error_text,
    error_traceback,
    format_error,
    safe_repr,
)
from gnomon.model.errors.product import GnomonError
from gnomon.model.sentences import render
from gnomon.model.spec import ParseFailure
from gnomon.model.storable_text import escape_unstorable

REPEATABLE = frozenset({"import", "timeout", "memory", "crash", "exit", "unreadable"})
"""Failures that may disappear without a change of the inputs: a package is installed, a server is available again."""


_ZONE_ERRORS = frozenset({"InvalidTimezone", "ZoneInfoNotFoundError"})
"""Errors of pendulum and zoneinfo, by name: neither module is imported only to recognize an error."""


class ImportTimeout(BaseException):
    """The import took longer than `core.dagbag_import_timeout`; raised where the file was at that moment."""


def failure_of_import(path: str, error: BaseException, *, limits: ParseLimits) -> ParseFailure:
    """Why importing `path` failed. Cannot fail, whatever the class of the error defines."""
    try:
        return _failure_of_import(path, error, limits)
    except Exception:  # its attributes are not those of the class that it says it is
        return _error_failure("import", path, _line_in(path, error_traceback(error)), describe_error(error), "", error)


def _failure_of_import(path: str, error: BaseException, limits: ParseLimits) -> ParseFailure:
    if isinstance(error, SyntaxError) and error.filename == path:
        what = f"{error.msg}: {error.text.strip()}" if error.text and error.text.strip() else error.msg
        return _error_failure("syntax", path, error.lineno, what, "Correct that line.", error.with_traceback(None))
    line = _line_in(path, error_traceback(error))
    if isinstance(error, ImportTimeout):
        return _timeout_failure(path, line, limits.import_timeout_s, error)
    if isinstance(error, MemoryError):
        return _memory_failure(path, line, limits.memory_bytes, error)
    if isinstance(error, SystemExit):
        what = f"the file ends the process by sys.exit({'' if error.code is None else safe_repr(error.code)}) while it is imported"
        return _error_failure(
            "exit", path, line, what, 'Remove that call, or put it under `if __name__ == "__main__":`.', error
        )
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _error_failure(
            "import",
            path,
            line,
            f"no module named {error.name!r}{_other_place(path, error)}",
            _module_remedy(error, limits),
            error,
        )
    if class_name(error) in _ZONE_ERRORS:
        zone = error_text(error.args[0] if error.args else error).rpartition(" ")[2]
        what = f"time zone {zone!r} is not known"
        return _error_failure(
            "import", path, line, what, "Check the spelling; zones are written like 'Europe/Berlin' or 'UTC'.", error
        )
    if isinstance(error, (FileNotFoundError, PermissionError)) and line is None:
        return _error_failure(
            "unreadable",
            path,
            None,
            f"the file cannot be read: {error.strerror or error_text(error)}",
            "Give the dag-processor's user the right to read it.",
            error,
        )
    kind = "dag" if isinstance(error, AirflowException) else "import"
    return _error_failure(kind, path, line, f"{_describe_error(error)}{_other_place(path, error)}", "", error)


class ParseLimits:
    """The limits of a parse, as the messages name them."""

    __slots__ = ("import_timeout_s", "memory_bytes", "plugins_folder", "process_timeout_s")

    def with_import_timeout(self, seconds: float | None) -> ParseLimits:
        """The same limits with another one for the import; None: none."""
        return ParseLimits(seconds, self.process_timeout_s, self.memory_bytes, self.plugins_folder)

    def __init__(self, import_s: float | None, child_s: float, memory_bytes: int | None, plugins_folder: str) -> None:
        self.import_timeout_s = import_s
        self.process_timeout_s = child_s
        self.memory_bytes = memory_bytes
        self.plugins_folder = plugins_folder


def failure_of_dag(path: str, dag_id: str, error: BaseException) -> ParseFailure:
    """The failure of one DAG of the file; the other DAGs of the file are scheduled."""
    message = error_text(error) or class_name(error)
    thing = "" if dag_id in message else f"DAG {dag_id!r}: "
    line = _line_in(path, error_traceback(error)) or _line_in_message(path, message)
    return _error_failure("dag", path, line, f"{thing}{_error_prefix(error)}{message}", "", error)


def failure_of_duplicate_dag(path: str, dag_id: str) -> ParseFailure:
    """Two DAG objects of one file have the same id."""
    return ParseFailure(
        kind="duplicate",
        message=(
            f"{path}: two DAGs of this file have the id {dag_id!r}; the first one counts. Give the other one another dag_id."
        ),
    )


def failure_of_exit(
    path: str, exit_code: int, killed_for: str | None, limits: ParseLimits, output: str
) -> ParseFailure:
    """The failure for a child that ended without an outcome. `exit_code` negative: a signal; `output`: the end of its output."""
    if killed_for == "time":
        return _timeout_failure(path, None, limits.process_timeout_s, None, output)
    if killed_for == "memory":
        return _memory_failure(path, None, limits.memory_bytes, None, output)
    line = next((frame.line for frame in parse_fault_dump(output) if frame.file == path), None)
    crash = describe_crash(exit_code)
    what = f"the process {render(crash.sentence)} while the file was imported"
    return _exit_failure(crash.kind, path, line, what, _CRASH_REMEDIES[crash.kind], output)


_CRASH_REMEDIES = {
    "exit": "Look for what is called at import there.",
    "memory": "Load less at import, or give the machine more memory.",
    "crash": "A compiled library that the file imports or calls there is the usual cause.",
}


def _timeout_failure(
    path: str, line: int | None, seconds: float | None, error: BaseException | None, output: str = ""
) -> ParseFailure:
    what = f"the import took longer than {seconds or 0:g} s{'' if error is None else _other_place(path, error)}"
    option = "core.dagbag_import_timeout" if error is not None else "dag_processor.dag_file_processor_timeout"
    remedy = f"Move slow work from the top of the file into a task, or raise {option}."
    if error is not None:
        return _error_failure("timeout", path, line, what, remedy, error)
    return _exit_failure("timeout", path, line, what, remedy, output)


def _memory_failure(
    path: str, line: int | None, limit: int | None, error: BaseException | None, output: str = ""
) -> ParseFailure:
    megabytes = "the memory there is" if limit is None else f"{limit // (1024 * 1024)} MB of memory"
    what = f"the import needed more than {megabytes}"
    remedy = "Load data inside a task instead, or raise dag_processor.parsing_memory_limit."
    if error is not None:
        return _error_failure("memory", path, line, what, remedy, error)
    return _exit_failure("memory", path, line, what, remedy, output)


def _error_failure(
    kind: str, path: str, line: int | None, what: str, remedy: str, error: BaseException
) -> ParseFailure:
    """The failure for an exception in the process that parsed the file, without the secrets that the file has read."""
    shown = hide(format_error(type(error), error, _trim_traceback(path, error_traceback(error))))[
        -AUTHOR_TRACEBACK_MAX:
    ]
    return ParseFailure(
        kind=kind,
        message=escape_unstorable(hide(_sentence(path, line, what, remedy))),
        line=line,
        traceback=escape_unstorable(shown),
    )


def _exit_failure(kind: str, path: str, line: int | None, what: str, remedy: str, output: str) -> ParseFailure:
    return ParseFailure(
        kind=kind, message=_sentence(path, line, what, remedy), line=line, traceback=output[-AUTHOR_TRACEBACK_MAX:]
    )


def _sentence(path: str, line: int | None, what: str, remedy: str) -> str:
    place = path if line is None else f"{path}, line {line}"
    ended = what if what.endswith((".", "!", "?")) else f"{what}."
    return f"{place}: {ended} {remedy}".rstrip()


def _line_in(path: str, trace: TracebackType | None) -> int | None:
    """The line of the DAG file itself at which the error passed, the innermost one."""
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _other_place(path: str, error: BaseException) -> str:
    """` (at file, line N)` when the innermost line of the author's own files stands in another one, such as a plugin."""
    place = None
    for frame in traceback.extract_tb(error_traceback(error)):
        if frame.filename == path or is_author_file(frame.filename):
            place = (frame.filename, frame.lineno)
    if isinstance(error, SyntaxError) and error.filename:
        place = (error.filename, error.lineno)
    return "" if place is None or place[0] == path else f" (at {place[0]}, line {place[1]})"


def _line_in_message(path: str, message: str) -> int | None:
    """The line of the DAG file that a message names first as `path:line`."""
    digits = message.partition(f"{path}:")[2]
    digits_of_line = digits[: len(digits) - len(digits.lstrip("0123456789"))]
    return int(digits_of_line) if digits_of_line else None


def _trim_traceback(path: str, trace: TracebackType | None) -> TracebackType | None:
    """The traceback without Gnomon's own frames above the DAG file's."""
    below = trace
    while below is not None and below.tb_frame.f_code.co_filename != path:
        below = below.tb_next
    return below or trace


def _module_remedy(error: ModuleNotFoundError, limits: ParseLimits) -> str:
    package = find_absent_package(error)
    if package is not None:
        return f"Run `gnomon providers install {shorten(package)}` where Gnomon runs; it installs the package without Airflow."
    return (
        f"If it is a package, install it where Gnomon runs (pip install ...); if it is a file of yours, put it into the DAG "
        f"folder or into {limits.plugins_folder}, which are on the import path."
    )


def _describe_error(error: BaseException) -> str:
    return f"{_error_prefix(error)}{error_text(error)}{suggest_keyword(error)}".strip()


def _error_prefix(error: BaseException) -> str:
    """The class name of a Python error; messages of Gnomon's own errors stand alone."""
    return "" if isinstance(error, (AirflowException, GnomonError)) else f"{class_name(error)}: "
