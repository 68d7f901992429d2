"""The cost of an import, measured by the modules that it loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "asyncio",
    "click",
    "cryptography",
    "email",
    "http",
    "jinja2",
    "logging.config",
    "multiprocessing",
    "pendulum",
    "psycopg",
    "rich",
    "sqlite3",
    "subprocess",
    "unittest",
    "urllib.request",
    "watchfiles",
    "yaml",
    "gnomon.entry.app",
    "gnomon.entry.cli",
    "gnomon.services.scheduler",
    "gnomon.storage.store",
    "gnomon.services.worker",
    "gnomon.airflow_compat",
)
"""Modules that writing a DAG does not need."""


def _loaded(program: str) -> set[str]:
    """The modules that the program loads, without those of an empty program."""
    bare = _modules("pass")
    return _modules(program) - bare


def _modules(program: str) -> set[str]:
    code = f"import sys\n{program}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stderr.split("\n"))


def _of(modules: set[str], names: tuple[str, ...]) -> list[str]:
    return sorted(m for m in modules if any(m == name or m.startswith(f"{name}.") for name in names))


WEB = ("anyio", "argon2", "fastapi", "jwt", "prometheus_client", "pydantic", "starlette", "uvicorn", "gnomon.api")
"""Modules of the api-server, which no other process needs."""
DATABASE = ("alembic", "psycopg", "sqlalchemy")


def test_import_gnomon_loads_nothing_of_it() -> None:
    loaded = _loaded("import gnomon")
    assert sorted(m for m in loaded if m.startswith("gnomon.")) == []
    assert len(loaded) <= 10, sorted(loaded)
    assert _of(loaded, (*WEB, *DATABASE)) == []


def test_writing_a_dag_loads_no_server_and_no_library_that_only_running_needs() -> None:
    loaded = _loaded("from gnomon import DAG, task")
    assert _of(loaded, (*HEAVY, *WEB, *DATABASE)) == []


@pytest.mark.parametrize("words", ["--help", "dags --help", "timetables --help", "version"])
def test_help_loads_neither_the_store_nor_the_sdk(words: str) -> None:
    program = f"from gnomon.entry.cli.main import main\nmain({words.split()!r})"
    heavy = (
        "asyncio",
        "cryptography",
        "jinja2",
        "pendulum",
        "watchfiles",
        "gnomon.services.scheduler",
        "gnomon.authoring.sdk",
        "gnomon.services.worker",
        *WEB,
        *DATABASE,
    )
    if words == "--help":
        heavy = (*heavy, "rich", "sqlite3", "gnomon.storage.store")
    assert _of(_loaded(program), heavy) == []


@pytest.mark.parametrize(
    "package",
    ["author_code.runner", "authoring.operators", "authoring.sdk", "author_code.loading", "author_code.context"],
)
def test_what_lives_in_a_task_process_loads_no_database(package: str) -> None:
    assert _of(_loaded(f"import gnomon.{package}"), ("gnomon.storage.store", *WEB, *DATABASE)) == []


def test_what_the_supervisor_shares_holds_no_database() -> None:
    loaded = _loaded("from gnomon.entry.app.preload import import_shared\nimport_shared()")
    assert _of(loaded, ("sqlite3", "gnomon.storage.store", "gnomon.airflow_compat", *WEB, *DATABASE)) == []
    assert "gnomon.author_code.runner" in loaded


@pytest.mark.parametrize(
    "module",
    [
        "gnomon.entry.app.standalone",
        "gnomon.entry.app.supervisor",
        "gnomon.entry.app.services",
        "gnomon.entry.app.scheduler_wiring",
        "gnomon.services.scheduler.service",
        "gnomon.services.worker.service",
        "gnomon.services.dagfiles.service",
        "gnomon.services.triggerer.coordinator",
        "gnomon.changes.actions.manual_runs",
        "gnomon.authoring.sdk",
        "gnomon.author_code.runner",
    ],
)
def test_only_the_api_server_loads_the_web_framework(module: str) -> None:
    assert _of(_loaded(f"import {module}"), WEB) == []
