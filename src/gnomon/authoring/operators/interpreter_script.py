"""Runs a function in another interpreter. The file is copied into a folder with the call and needs nothing but Python 3.7.

`call.json` has the serializer, the name of the function, the values of the task context, and the string arguments; `function.py`
the source; `arguments` the serialized arguments. The result is written to `result`, the text of an exception to `error.txt`.
"""

from __future__ import annotations

import datetime
import importlib
import json
import os
import sys
import types
from typing import Any


def run_call(folder: str) -> None:
    """Call the function that the folder describes and write its result there."""
    with open(os.path.join(folder, "call.json"), encoding="utf-8") as file:
        call = json.load(file)
    os.environ["PYTHON_OPERATORS_VIRTUAL_ENV_MODE"] = "1"  # noqa: TID251 - this file runs where Gnomon may be missing
    serializer = importlib.import_module(call["serializer"])
    context = {name: decode_value(value, warns=call["expect_pendulum"]) for name, value in call["context"].items()}
    if call["expect_airflow"]:
        enter_context(context)
    function = load_function(os.path.join(folder, "function.py"), call["function"], call["string_args"])
    with open(os.path.join(folder, "arguments"), "rb") as stored:
        arguments = serializer.load(stored)
    named = {name: context[name] for name in call["names"]}
    named.update(arguments["kwargs"])
    process = os.getpid()
    try:
        result = function(*arguments["args"], **named)
        end_fork(process)
        if hasattr(result, "__await__"):
            result = importlib.import_module("asyncio").run(wait_for(result))
        end_fork(process)
    except Exception as error:
        if os.getpid() == process:
            with open(os.path.join(folder, "error.txt"), "w", encoding="utf-8", errors="backslashreplace") as text:
                text.write(describe_error(error))
        raise
    with open(os.path.join(folder, "result"), "wb") as stored:
        if result is not None:
            serializer.dump(result, stored)


def end_fork(process: int) -> None:
    """End this process if the function has forked it from `process`: only the process that was started writes the result."""
    if os.getpid() != process:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def describe_error(error: Exception) -> str:
    """`ValueError: text`, whatever the class of the error does when its text is made."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception as failure:
        return f"{type(error).__name__}: <its text cannot be made: {type(failure).__name__}>"


async def wait_for(awaitable: Any) -> Any:
    """Return the result of the awaitable."""
    return await awaitable


def load_function(path: str, name: str, string_args: list[str]) -> Any:
    """Run the source in a new module `__main__` and return the function of that name."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    vars(module)["virtualenv_string_args"] = string_args
    with open(path, encoding="utf-8") as file:
        code = compile("from __future__ import annotations\n" + file.read(), path, "exec")
    exec(code, vars(module))  # noqa: S102 - the function of the task
    return vars(module)[name]


def enter_context(context: dict[str, Any]) -> None:
    """Make `import airflow` and `get_current_context()` work, if Gnomon is installed for this interpreter."""
    try:
        dialect = importlib.import_module("gnomon.author_code.loading.dialect")
        authoring_state = importlib.import_module("gnomon.authoring.sdk.nodes.authoring_state")
    except ImportError:
        return
    dialect.enable()
    manager = authoring_state.set_current_context(context)
    manager.__enter__()
    vars(authoring_state)["_of_this_script"] = manager  # a closed generator would end the context


def decode_value(value: Any, warns: bool = False) -> Any:
    """Return the value of `encode_value`: dates are pendulum's if this interpreter has pendulum."""
    if isinstance(value, list):
        return [decode_value(item, warns) for item in value]
    if not isinstance(value, dict):
        return value
    if "__datetime__" not in value:
        return {name: decode_value(item, warns) for name, item in value.items()}
    moment = datetime.datetime.fromisoformat(value["__datetime__"])
    try:
        pendulum = importlib.import_module("pendulum")
    except ImportError:
        if warns:
            sys.stderr.write(
                "pendulum is not installed for this interpreter: dates of the context are plain datetimes\n"
            )
        return moment
    converted = pendulum.instance(moment)
    return converted.in_timezone(value["zone"]) if value.get("zone") else converted


if __name__ == "__main__":
    run_call(sys.argv[1])
