"""Loads DAG files in the `airflow` of this interpreter, each in a process of its own, and prints what it has as JSON lines.

`python repository_probe.py [--gnomon] < request.json`; the request: {"folder": ..., "paths": [sys.path entries], "files": [...], "absent": [packages to replace]}.
Packages that are not installed are replaced by mocks, provider packages always (but standard and common.compat); Variables, connections and variables of
the environment that the files read by index have placeholders. It uses nothing but Python and the `airflow` package.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import re
import signal
import sys
import traceback
import warnings
from pathlib import Path
from unittest.mock import MagicMock

TIMEOUT_S = 30
"""The longest time of one file."""
_ENVIRON = re.compile(r"""os\.environ\[\s*["'](\w+)["']\s*\]""")
_REAL_PROVIDERS = ("airflow.providers.standard", "airflow.providers.common.compat")
_KINDS = ("Operator", "Sensor", "SensorAsync", "OperatorAsync")


class MockFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a mock for every module that is no module of Airflow's core; stands last, but for provider packages first."""

    def __init__(self, providers: bool, absent: frozenset[str] = frozenset()) -> None:
        self._providers = providers
        self._absent = absent

    def find_spec(self, fullname, path=None, target=None):
        is_provider = (
            fullname.startswith("airflow.providers.")
            and fullname != "airflow.providers.common"
            and not fullname.startswith(_REAL_PROVIDERS)
        )
        if fullname.partition(".")[0] in sys.stdlib_module_names:  # those of other systems are asked for too
            return None
        if (
            is_provider or fullname.partition(".")[0] in self._absent
            if self._providers
            else not fullname.startswith("airflow")
        ):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def exec_module(self, module):
        made: dict[str, object] = {}

        def find(name):
            if name in ("__version__", "__file__"):
                return "1.0.0"
            if name.startswith("__"):
                raise AttributeError(name)
            if name not in made:
                made[name] = _make_name(name)
            return made[name]

        module.__getattr__ = find


def _make_name(name):
    if name.endswith(_KINDS):
        return _make_operator(name)
    if name[:1].isupper() and not name.isupper():
        return _MockMeta(name, (MockObject,), {})
    return MagicMock(name=name)


class _MockMeta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=f"{cls.__name__}.{name}")


class MockObject(metaclass=_MockMeta):
    """A class of a package that is not installed: takes any arguments, has any attribute, can be subclassed."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return MagicMock(name=type(self).__name__)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=name)


def _make_operator(name):
    import inspect

    from airflow.models.baseoperator import BaseOperator

    known = set(inspect.signature(BaseOperator.__init__).parameters) - {"self", "kwargs", "args"}

    def __init__(self, *, task_id, **kwargs):
        BaseOperator.__init__(self, task_id=task_id, **{key: value for key, value in kwargs.items() if key in known})

    members = {
        "__init__": __init__,
        "execute": lambda self, context: None,
        "__module__": "mocked",
        "partial": classmethod(Partial),
    }
    return type(BaseOperator)(name, (BaseOperator,), members)


class Partial:
    """What `partial` of a replaced operator gives: it is not mapped, because its arguments are not known."""

    def __init__(self, operator_class, **kwargs):
        self._make = lambda: operator_class(**kwargs)

    def expand(self, **_):
        return self._make()

    def expand_kwargs(self, *_, **__):
        return self._make()


class Placeholder(int):
    """The value of a Variable with JSON: a number, a text, a dict and a list at once, each with parts of the same kind."""

    def __new__(cls, *_):
        return super().__new__(cls, 1)

    def __getitem__(self, key):
        return Placeholder()

    def get(self, key, default=None):
        return Placeholder()

    def keys(self):
        return []

    items = values = keys

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __str__(self):
        return "placeholder"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr("placeholder", name)


def _give_placeholders(texts):
    for text in texts:
        for name in _ENVIRON.findall(text):
            os.environ.setdefault(name, "placeholder")
    from airflow.models import Connection, Variable
    from airflow.models.variable import Variable as OldVariable

    def get(key, default_var=MockObject, deserialize_json=False, default=MockObject, **_):
        given = default_var if default_var is not MockObject else default
        if given is not MockObject:
            return given
        return Placeholder() if deserialize_json else "placeholder"

    def get_connection(conn_id, *_, **__):
        return Connection(
            conn_id=conn_id, conn_type="http", host="placeholder", login="placeholder", password="placeholder"
        )

    classes = [Variable, OldVariable]
    hooks = []
    for module, name, found in (
        ("airflow.sdk", "Variable", classes),
        ("airflow.hooks.base", "BaseHook", hooks),
        ("airflow.sdk", "BaseHook", hooks),
    ):
        try:
            found.append(getattr(importlib.import_module(module), name))
        except (ImportError, AttributeError):
            pass
    for one in classes:
        one.get = staticmethod(get)
    for one in hooks:
        one.get_connection = staticmethod(get_connection)


def _make_bag(file):
    try:
        from airflow.dag_processing.dagbag import DagBag
    except ImportError:
        from airflow.models.dagbag import DagBag
    try:
        return DagBag(file, include_examples=False, safe_mode=False)
    except TypeError:  # Airflow 3.2 and later have no examples of their own in a bag
        return DagBag(file, safe_mode=False)


def _describe(dag):
    tasks = {
        task.task_id: {
            "downstream": sorted(task.downstream_task_ids),
            "rule": str(getattr(task.trigger_rule, "value", task.trigger_rule)),
            "retries": task.retries,
        }
        for task in dag.tasks
    }
    return {
        "tasks": tasks,
        "schedule": str(getattr(dag.timetable, "summary", "")),
        "catchup": bool(dag.catchup),
        "tags": sorted(dag.tags or ()),
    }


def _load(file):
    """Returns {"dags": {id: description}} or {"error": the last line of the traceback, "trace": ...}."""
    bag = _make_bag(file)
    if bag.import_errors:
        text = next(iter(bag.import_errors.values()))
        lines = [line for line in text.strip().splitlines() if line.strip()]
        return {"error": lines[-1] if lines else "?", "trace": text[-3000:]}
    return {"dags": {dag_id: _describe(dag) for dag_id, dag in bag.dags.items()}}


def _load_in_child(file):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            signal.alarm(TIMEOUT_S)
            sys.path.append(
                os.path.dirname(file)
            )  # last: a file often has the name of the package that it imports from
            try:
                result = _load(file)
            except BaseException as error:
                result = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-3000:]}
            with os.fdopen(write, "w") as pipe:
                pipe.write(json.dumps(result, default=str))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": f"no answer within {TIMEOUT_S} s"}


def main():
    """Answers the request of standard input."""
    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")  # Airflow logs to standard output
    os.dup2(2, 1)
    if "--gnomon" in sys.argv:
        from gnomon.author_code.loading import dialect

        dialect.enable()
    sys.path[1:1] = request["paths"]
    import airflow
    import airflow.models
    import airflow.models.baseoperator  # noqa: F401

    sys.meta_path.insert(0, MockFinder(providers=True, absent=frozenset(request["absent"])))
    sys.meta_path.append(MockFinder(providers=False))
    _make_bag(os.devnull)  # what every file needs is imported once
    _give_placeholders(
        Path(file).read_text(errors="replace") for file in Path(request["folder"]).rglob("*.py") if file.is_file()
    )
    for file in request["files"]:
        out.write(json.dumps({"file": file, **_load_in_child(file)}) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
