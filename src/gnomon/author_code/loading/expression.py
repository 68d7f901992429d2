"""Evaluates a schedule that is written as a Python expression; an error message marks the part that is wrong.

Call it only in a process that may run author code: the expression may use classes of the plugins folder.
"""

from __future__ import annotations

import ast
import builtins
import datetime as dt
import importlib
import importlib.util
from types import CodeType, ModuleType, TracebackType
from typing import Any

from gnomon.author_code.loading import plugins
from gnomon.author_code.loading.plain_expressions import refuse_code
from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.authoring.sdk.schedules.schedule_argument import build_timetable_ref, parse_schedule
from gnomon.authoring.sdk.signatures.old_arguments import add_suggestion
from gnomon.model.errors import UserError
from gnomon.model.errors.error_text import describe_error
from gnomon.model.errors.product import find_close_matches
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.sentences import say
from gnomon.model.slots import TimetableRef
from gnomon.rules import calendars, timetables

FILE = "<expression>"
_AIRFLOW = (
    "airflow.timetables.base",
    "airflow.timetables.events",
    "airflow.timetables.interval",
    "airflow.timetables.simple",
    "airflow.timetables.trigger",
)
_MODULES = {
    "pendulum": "pendulum",
    "calendars": "gnomon.calendars",
    "relativedelta": "dateutil.relativedelta:relativedelta",
}
"""Names that are imported when an expression uses them, with their modules."""
_PLAIN_NAMES: dict[str, Any] = {
    "UTC": dt.UTC,
    "date": dt.date,
    "datetime": dt.datetime,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "timezone": dt.timezone,
}
_OF_THE_MODULE = frozenset(f"datetime.{name}" for name in _PLAIN_NAMES)


def evaluate(*, text: str, zone: str, runs_code: bool = True) -> TimetableRef:
    """Return the stored form of the timetable that an expression gives; any value of `schedule=` is allowed.

    Cron texts are read in `zone`. `runs_code`: the expression may be any code; otherwise it has built-in timetables, calendars and values only.
    Raises UserError, which marks the part that is wrong.
    """
    plugins.enable_imports()
    text = text.strip()
    tree = _parse(text)
    if not runs_code:
        refuse_code(tree, text)
    names = _resolve_names(tree, text)
    try:
        value = eval(_compile(text), names)  # noqa: S307 - the purpose is to evaluate the user's text
        timetable = parse_schedule(value, find_zone(zone))
        timetable.validate()
        return build_timetable_ref(timetable)
    except Exception as error:
        raise _mark_mistake(text, *_find_error_place(text, error.__traceback__), _describe_error(error)) from error


def _describe_error(error: Exception) -> str:
    """Return the text of the error; for an error of another package with the name of its class."""
    if isinstance(error, (UserError, AirflowTimetableInvalid)):
        return str(error)
    return add_suggestion(describe_error(error), error)


def _parse(text: str) -> ast.Expression:
    try:
        return ast.parse(text, FILE, "eval")
    except SyntaxError as error:
        line, start = error.lineno or 1, (error.offset or 1) - 1
        length = (error.end_offset or 0) - 1 - start if error.end_lineno == error.lineno else 1
        raise _mark_mistake(text, line, start, length, str(error.msg)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise _mark_mistake(text, 1, 0, 1, str(error)) from None


def _compile(text: str) -> CodeType:
    """Compile the expression. Its code name appears in the message about a call that does not end."""
    return compile(text, FILE, "eval", dont_inherit=True).replace(
        co_name="the expression", co_qualname="the expression"
    )


def _resolve_names(tree: ast.Expression, text: str) -> dict[str, Any]:
    """Return the values of the names in the expression. Raises UserError, which marks the first unknown name."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    values: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in _OF_THE_MODULE and "datetime" not in bound:
            problem = f"datetime is the class here, not the module; write {node.attr} instead of datetime.{node.attr}"
            raise _mark_mistake(
                text, node.lineno, _column(text, node.lineno, node.col_offset), len(f"datetime.{node.attr}"), problem
            )
        if (
            isinstance(node, ast.Name)
            and node.id not in bound
            and node.id not in values
            and not hasattr(builtins, node.id)
        ):
            start = _column(text, node.lineno, node.col_offset)
            try:
                values[node.id] = _resolve_name(node.id)
            except LookupError as error:
                raise _mark_mistake(text, node.lineno, start, len(node.id), str(error.args[0])) from None
            except Exception as error:
                problem = f"importing {node.id} raised {describe_error(error)}"
                raise _mark_mistake(text, node.lineno, start, len(node.id), problem) from error
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            _import_below(ast.unparse(node), values)
    return values


def _import_below(dotted: str, values: dict[str, Any]) -> None:
    """Import the modules in a dotted name, so that `package.module.Class` works without an import statement."""
    parts = dotted.split(".")
    module = values.get(parts[0])
    for end in range(2, len(parts)):
        try:
            if not isinstance(module, ModuleType) or hasattr(module, parts[end - 1]):
                module = getattr(module, parts[end - 1], None)
            else:
                module = importlib.import_module(".".join(parts[:end]))
        except Exception:  # the evaluation raises the error and marks the part
            return


def _resolve_name(name: str) -> Any:
    if name in _PLAIN_NAMES:
        return _PLAIN_NAMES[name]
    if name in _MODULES:
        module, _, attribute = _MODULES[name].partition(":")
        loaded = importlib.import_module(module)
        return getattr(loaded, attribute) if attribute else loaded
    for ours in (timetables, calendars):
        if name in ours.__all__:
            return getattr(ours, name)
    for module in _AIRFLOW:
        value = vars(importlib.import_module(module)).get(name)
        if value is not None:
            return value
    if importlib.util.find_spec(name) is not None:
        return importlib.import_module(name)
    registered = _find_plugin_timetable(name)
    if registered is not None:
        return registered
    raise LookupError(_describe_unknown(name))


def _find_plugin_timetable(name: str) -> type | None:
    """Return the timetable class of that name that a plugin registers, or None."""
    paths = (path for row in plugins.list_plugins() for path in row.timetables)
    return next((plugins.find_registered_class(path) for path in paths if path.rpartition(".")[2] == name), None)


def _describe_unknown(name: str) -> str:
    names = [*timetables.__all__, *calendars.__all__, *_PLAIN_NAMES, *_MODULES]
    near = find_close_matches(name, names)
    remedy = f"did you mean {near[0]!r}?" if near else "write MODULE.CLASS for a class of the plugins folder"
    return f"the name {name!r} is not known here; {remedy}"


def _find_error_place(text: str, trace: TracebackType | None) -> tuple[int, int, int]:
    """Return line, column and length of the part that raised; of the whole expression when the part is not known."""
    place = (1, 0, 0)
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            positions = list(trace.tb_frame.f_code.co_positions())
            line, end_line, start, end = positions[trace.tb_lasti // 2]
            if line is not None and start is not None and end is not None:
                first = _column(text, line, start)
                place = (line, first, _column(text, line, end) - first if line == end_line else 1)
        trace = trace.tb_next
    return place


def _column(text: str, line: int, octets: int) -> int:
    """Convert a column in octets of UTF-8, as Python counts, to a column in characters."""
    return len(text.splitlines()[line - 1].encode()[:octets].decode())


def _mark_mistake(text: str, line: int, start: int, length: int, problem: str) -> UserError:
    lines = text.splitlines() or [""]
    shown = lines[min(line, len(lines)) - 1]
    return UserError(
        say("expression_is_wrong", error=problem, text=shown, place=" " * start + "^" * max(1, length or len(shown)))
    )
