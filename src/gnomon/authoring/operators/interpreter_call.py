"""The call of a function in another interpreter: its source, arguments and context values as files, and its result."""

from __future__ import annotations

import ast
import datetime as dt
import inspect
import json
import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from gnomon.model.errors.authoring import AirflowException, DeserializingResultError
from gnomon.model.errors.error_text import describe_error

SERIALIZERS = ("pickle", "cloudpickle", "dill")
SCRIPT = Path(__file__).with_name("interpreter_script.py")
_TASK_DECORATORS = {"task", "setup", "teardown"}


def write_call(
    folder: Path,
    function: Callable[..., Any],
    *,
    serializer: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    context: Mapping[str, Any],
    names: Sequence[str],
    string_args: Sequence[str],
    expect_airflow: bool,
    expect_pendulum: bool,
    task_id: str,
) -> Path:
    """Write the files that `interpreter_script.py` reads, and a copy of it; return the path of the copy.

    `context`: values that JSON can hold, and datetimes. `names`: the keys of it that the function gets by name.
    Raises AirflowException for an argument that the serializer cannot serialize; the message names the argument.
    """
    (folder / "function.py").write_text(read_function_source(function), encoding="utf-8")
    (folder / "arguments").write_bytes(_serialize_arguments(serializer, args, kwargs, task_id))
    call = {
        "serializer": serializer,
        "function": function.__name__,
        "names": list(names),
        "string_args": list(map(str, string_args)),
        "expect_airflow": expect_airflow,
        "expect_pendulum": expect_pendulum,
        "context": {key: encode_value(value) for key, value in context.items()},
    }
    (folder / "call.json").write_text(json.dumps(call), encoding="utf-8")
    return Path(shutil.copy(SCRIPT, folder / "script.py"))


def read_result(folder: Path, serializer: str, task_id: str) -> Any:
    """Return the result that the script wrote; None without one. Raises DeserializingResultError."""
    data = (folder / "result").read_bytes()
    if not data:
        return None
    try:
        return load_serializer(serializer, task_id).loads(data)
    except Exception as error:
        raise DeserializingResultError(
            f"The result of task {task_id!r} cannot be read here: {describe_error(error)}. The worker's interpreter needs the classes "
            f"of the result in the same versions; return plain values such as dicts, lists and text, or another serializer than {serializer}."
        ) from error


def read_error(folder: Path) -> str | None:
    """Return the text of the exception that ended the function; None when there was none."""
    path = folder / "error.txt"
    return path.read_text(encoding="utf-8") if path.exists() else None


def load_serializer(name: str, task_id: str) -> Any:
    """Import the serializer. Raises AirflowException when it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise AirflowException(
            f"Task {task_id!r} has serializer={name!r}, and the package {name} is not installed where the worker runs. "
            f"Install it: pip install {name}"
        ) from None


def _serialize_arguments(serializer: str, args: Sequence[Any], kwargs: Mapping[str, Any], task_id: str) -> bytes:
    library = load_serializer(serializer, task_id)
    arguments = {"args": list(args), "kwargs": dict(kwargs)}
    try:
        return bytes(library.dumps(arguments))
    except Exception as error:
        named = [(f"op_args[{number}]", value) for number, value in enumerate(args)] + list(kwargs.items())
        bad = [repr(name) for name, value in named if not _can_serialize(library, value)]
        raise AirflowException(
            f"Task {task_id!r} cannot pass {', '.join(bad) or 'its arguments'} to another interpreter, because {serializer} cannot "
            f"serialize the value ({describe_error(error)}). Pass plain values, such as '{{{{ ti.task_id }}}}'."
        ) from error


def _can_serialize(library: Any, value: Any) -> bool:
    try:
        library.dumps(value)
    except Exception:
        return False
    return True


def read_function_source(function: Callable[..., Any]) -> str:
    """Return the source of the function without the decorators of tasks (`@task...`, `@setup`, `@teardown`)."""
    source = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    dropped: set[int] = set()
    for decorator in node.decorator_list:
        if _names_task(decorator):
            dropped.update(range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1))
    return "\n".join(line for number, line in enumerate(source.splitlines(), 1) if number not in dropped) + "\n"


def _names_task(decorator: ast.expr) -> bool:
    """True for `task`, `task.x(...)`, `dag.task.x`, `setup`, `teardown(...)`."""
    names: list[str] = []
    node: ast.AST = decorator
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        else:
            break
    if isinstance(node, ast.Name):
        names.append(node.id)
    return not _TASK_DECORATORS.isdisjoint(names) or any(name.endswith("_task") for name in names)


def encode_value(value: Any) -> Any:
    """Return the value as JSON can hold it; datetimes keep their zone. Raises TypeError for any other type."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, dt.datetime):
        return {"__datetime__": value.isoformat(), "zone": getattr(value, "timezone_name", None)}
    if isinstance(value, Mapping):
        return {str(key): encode_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [encode_value(item) for item in value]
    raise TypeError(f"a value of type {type(value).__name__}")
