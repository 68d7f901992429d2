"""A pytest plugin: makes `import airflow` import Gnomon's package, and gives Airflow's unit tests the few fixtures that need no Airflow.

A name that a test imports and Gnomon does not have becomes a stand-in whose use raises NeedsAirflow, so that the other tests of the
file run. The outcomes are written to the file that OUTCOMES names: a JSON list of
[test id, outcome, last line of the error].
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
from collections.abc import Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from unittest.mock import MagicMock

import pytest

from gnomon.airflow_compat import missing_names
from gnomon.author_code.loading import dialect

TIME_LIMIT_S = 30
_is_collecting = True
"""Values that modules of tests make at import are mocks: a test that needs one fails where it uses a stand-in itself."""


class NeedsAirflow(Exception):
    """The test uses a name of Airflow that Gnomon does not have: its database, its internals, or what is not done yet."""


class _StandInType(type):
    def __getattr__(cls, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        if _is_collecting:
            return MagicMock(name=name)
        raise NeedsAirflow(f"{cls.__module__}.{cls.__qualname__}.{name}")

    def __call__(cls, *_: object, **__: object) -> object:
        if _is_collecting:
            return MagicMock(name=cls.__qualname__)
        raise NeedsAirflow(f"{cls.__module__}.{cls.__qualname__}")


def _stand_in(module: str, name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(name)
    return _StandInType(name, (), {"__module__": module})


class _StandInFinder(MetaPathFinder, Loader):
    """Finds the modules of Airflow, and of the helpers of its tests, that Gnomon does not have."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname.startswith(("airflow.", "tests_common.")) and not _is_other_provider(fullname):
            return importlib.util.spec_from_loader(fullname, self, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__getattr__ = lambda name: _stand_in(module.__name__, name)  # type: ignore[attr-defined]


def _is_other_provider(name: str) -> bool:
    return name.startswith("airflow.providers.") and not name.startswith("airflow.providers.standard.")


def _make_stand_in(module: str, name: str) -> object:
    try:
        return _explain_missing(module, name)
    except (missing_names.NameNotProvided, AttributeError, ImportError):
        return _stand_in(module, name)


dialect.enable()
sys.path.insert(1, os.path.dirname(__file__))
_explain_missing, missing_names._make_stand_in = missing_names._make_stand_in, _make_stand_in
import airflow  # noqa: E402

sys.meta_path.insert(
    next(i for i, finder in enumerate(sys.meta_path) if isinstance(finder, missing_names.MissingModules)),
    _StandInFinder(),
)
assert airflow

_outcomes: dict[str, tuple[str, str]] = {}


def pytest_configure(config: pytest.Config) -> None:
    for marker in (
        "db_test",
        "need_serialized_dag",
        "backend",
        "execution_timeout",
        "log_level",
        "usefixtures",
        "non_db_test_override",
        "external_python_operator",
        "enable_redact",
        "skip_if_database_isolation_mode",
        "venv",
        "want_activate_assets",
    ):
        config.addinivalue_line("markers", marker)


def pytest_collection_finish() -> None:
    global _is_collecting
    _is_collecting = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    def too_long(*_: object) -> None:
        raise TimeoutError(f"no end within {TIME_LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(TIME_LIMIT_S)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _outcomes[report.nodeid] = ("not importable", _last_line(report.longrepr))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    known = _outcomes.get(report.nodeid)
    if report.skipped:
        _outcomes[report.nodeid] = ("skipped", "")
    elif report.failed:
        _outcomes[report.nodeid] = ("failed", _last_line(report.longrepr))
    elif known is None and report.when == "call":
        _outcomes[report.nodeid] = ("passed", "")


def pytest_sessionfinish() -> None:
    with open(os.environ["OUTCOMES"], "w", encoding="utf-8") as file:
        json.dump([[nodeid, *outcome] for nodeid, outcome in sorted(_outcomes.items())], file, indent=0)


def _last_line(longrepr: object) -> str:
    crash = getattr(longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(longrepr)
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return (lines[0] if crash is not None else lines[-1])[:300] if lines else ""


class _DagMaker:
    """`with dag_maker(...)`: a DAG without a database. Everything else that Airflow's has needs Airflow."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __call__(self, dag_id: str = "test_dag", **arguments: object) -> _DagMaker:
        from airflow.sdk import DAG, timezone

        for name in (
            "serialized",
            "session",
            "bundle_name",
            "bundle_version",
            "fileloc",
            "activate_assets",
            "with_dagrun_type",
        ):
            arguments.pop(name, None)
        self.start_date = arguments.setdefault("start_date", timezone.datetime(2016, 1, 1))
        arguments.setdefault("schedule", None)
        self.dag = DAG(dag_id, **arguments)
        return self

    def __enter__(self) -> object:
        return self.dag.__enter__()

    def __exit__(self, *exc: object) -> None:
        self.dag.__exit__(*exc)

    def __getattr__(self, name: str) -> object:
        raise NeedsAirflow(f"dag_maker.{name}")


@pytest.fixture
def dag_maker(request: pytest.FixtureRequest) -> _DagMaker:
    return _DagMaker(request.module.__name__)


def _needs_airflow(name: str) -> object:
    @pytest.fixture(name=name)
    def fixture() -> None:
        raise NeedsAirflow(f"the fixture {name}")

    return fixture


@pytest.fixture
def session() -> None:
    """Airflow's database session: there is none."""


for _name in (
    "mock_supervisor_comms",
    "create_runtime_ti",
    "run_ti",
    "run_task",
    "make_ti_context",
    "make_ti_context_dict",
    "mocked_parse",
    "create_task_instance",
    "create_task_instance_of_operator",
    "create_dag",
    "captured_logs",
    "testing_dag_bundle",
    "dag_bag_ext",
    "clear_db",
    "create_serialized_task_instance_of_operator",
    "socket_pair",
    "disable_capturing",
    "cap_structlog",
):
    globals()[f"_{_name}"] = _needs_airflow(_name)
