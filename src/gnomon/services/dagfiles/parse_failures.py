"""Messages for everything that can be wrong with a DAG file: the thing, the place, the remedy."""

from __future__ import annotations

import traceback
from types import TracebackType

from gnomon.author_code.loading.provider_names import find_absent_package, shorten
from gnomon.author_code.processes.author_frames import parse_fault_dump
from gnomon.author_code.processes.author_traceback import AUTHOR_TRACEBACK_MAX, is_author_file
from gnomon.author_code.processes.exit_reasons import describe_crash
from gnomon.authoring.sdk.signatures.old_arguments import add_suggestion
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
from gnomon.model.sentences import Sentence, quote, render, say
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
        return _error_failure(
            "import", path, _line_in(path, error_traceback(error)), describe_error(error), None, error
        )


def _failure_of_import(path: str, error: BaseException, limits: ParseLimits) -> ParseFailure:
    if isinstance(error, SyntaxError) and error.filename == path:
        what = f"{error.msg}: {error.text.strip()}" if error.text and error.text.strip() else error.msg
        return _error_failure("syntax", path, error.lineno, what, say("correct_the_line"), error.with_traceback(None))
    line = _line_in(path, error_traceback(error))
    if isinstance(error, ImportTimeout):
        return _timeout_failure(path, line, limits.import_timeout_s, error)
    if isinstance(error, MemoryError):
        return _memory_failure(path, line, limits.memory_bytes, error)
    if isinstance(error, SystemExit):
        code = "" if error.code is None else safe_repr(error.code)
        return _error_failure(
            "exit", path, line, say("file_ends_process", text=code), say("remove_call_of_exit"), error
        )
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _error_failure(
            "import",
            path,
            line,
            _say_absent_module(path, error.name, error),
            _module_remedy(error, limits),
            error,
        )
    if class_name(error) in _ZONE_ERRORS:
        zone = error_text(error.args[0] if error.args else error).rpartition(" ")[2]
        return _error_failure(
            "import", path, line, say("zone_of_file_is_unknown", zone=zone), say("check_zone_of_file"), error
        )
    if isinstance(error, (FileNotFoundError, PermissionError)) and line is None:
        return _error_failure(
            "unreadable",
            path,
            None,
            say("dag_file_cannot_be_read", error=error.strerror or error_text(error)),
            say("give_right_to_read"),
            error,
        )
    kind = "dag" if isinstance(error, AirflowException) else "import"
    return _error_failure(kind, path, line, f"{_describe_error(error)}{_other_place(path, error)}", None, error)


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
    return _error_failure("dag", path, line, f"{thing}{_error_prefix(error)}{message}", None, error)


def failure_of_duplicate_dag(path: str, dag_id: str) -> ParseFailure:
    """Two DAG objects of one file have the same id."""
    return ParseFailure(
        kind="duplicate",
        message=render(say("file_has_dag_twice", file=path, dag=dag_id)),
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
    what = say("process_ended_in_import", why=crash.sentence)
    return _exit_failure(crash.kind, path, line, what, say(_CRASH_REMEDIES[crash.kind]), output)


_CRASH_REMEDIES = {
    "exit": "look_for_call_at_import",
    "memory": "load_less_at_import",
    "crash": "library_is_usual_cause",
}


def _timeout_failure(
    path: str, line: int | None, seconds: float | None, error: BaseException | None, output: str = ""
) -> ParseFailure:
    place = None if error is None else _say_other_place(path, error)
    what = say("import_of_file_took_too_long", duration=float(seconds or 0), more=place)
    option = "core.dagbag_import_timeout" if error is not None else "dag_processor.dag_file_processor_timeout"
    remedy = say("move_slow_work", option=option)
    if error is not None:
        return _error_failure("timeout", path, line, what, remedy, error)
    return _exit_failure("timeout", path, line, what, remedy, output)


def _memory_failure(
    path: str, line: int | None, limit: int | None, error: BaseException | None, output: str = ""
) -> ParseFailure:
    what = (
        say("import_needed_all_memory")
        if limit is None
        else say("import_needed_more_memory", size=str(limit // (1024 * 1024)))
    )
    remedy = say("load_data_in_task")
    if error is not None:
        return _error_failure("memory", path, line, what, remedy, error)
    return _exit_failure("memory", path, line, what, remedy, output)


def _error_failure(
    kind: str, path: str, line: int | None, what: Sentence | str, remedy: Sentence | None, error: BaseException
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


def _exit_failure(
    kind: str, path: str, line: int | None, what: Sentence, remedy: Sentence, output: str
) -> ParseFailure:
    return ParseFailure(
        kind=kind, message=_sentence(path, line, what, remedy), line=line, traceback=output[-AUTHOR_TRACEBACK_MAX:]
    )


def _sentence(path: str, line: int | None, what: Sentence | str, remedy: Sentence | None) -> str:
    where = None if line is None else say("line_of_dag_file", number=str(line))
    why = quote(what) if isinstance(what, str) else what
    if isinstance(what, str) and what.endswith((".", "!", "?")):
        return render(say("dag_file_fails_so", file=path, where=where, why=why, advice=remedy))
    return render(say("dag_file_fails", file=path, where=where, why=why, advice=remedy))


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
    place = _say_other_place(path, error)
    return "" if place is None else render(place)


def _say_absent_module(path: str, name: str, error: BaseException) -> Sentence:
    place = _find_other_place(path, error)
    if place is None:
        return say("module_is_absent", module=name)
    return say("module_is_absent_elsewhere", module=name, file=place[0], number=str(place[1]))


def _say_other_place(path: str, error: BaseException) -> Sentence | None:
    place = _find_other_place(path, error)
    return None if place is None else say("at_line_of_file", file=place[0], number=str(place[1]))


def _find_other_place(path: str, error: BaseException) -> tuple[str, int | None] | None:
    place: tuple[str, int | None] | None = None
    for frame in traceback.extract_tb(error_traceback(error)):
        if frame.filename == path or is_author_file(frame.filename):
            place = (frame.filename, frame.lineno)
    if isinstance(error, SyntaxError) and error.filename:
        place = (error.filename, error.lineno)
    return None if place is None or place[0] == path else place


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


def _module_remedy(error: ModuleNotFoundError, limits: ParseLimits) -> Sentence:
    package = find_absent_package(error)
    if package is not None:
        return say("install_package_of_module", command=f"gnomon providers install {shorten(package)}")
    return say("install_or_place_module", folder=limits.plugins_folder)


def _describe_error(error: BaseException) -> str:
    return add_suggestion(f"{_error_prefix(error)}{error_text(error)}", error).strip()


def _error_prefix(error: BaseException) -> str:
    """The class name of a Python error; messages of Gnomon's own errors stand alone."""
    return "" if isinstance(error, (AirflowException, GnomonError)) else f"{class_name(error)}: "
