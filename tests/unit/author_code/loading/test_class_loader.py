"""Stored class paths and the dialect's switch."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from gnomon.author_code.loading import dialect
from gnomon.author_code.loading.class_loader import load_class, load_object
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.model.errors import UserError
from gnomon.timetables import CronTriggerTimetable, NullTimetable


@pytest.fixture(autouse=True)
def own_path() -> Iterator[None]:
    before = list(sys.path)
    yield
    sys.path[:] = before
    for name in [name for name in sys.modules if name == "airflow" or name.startswith("airflow.")]:
        del sys.modules[name]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plugin_of_mine.py").write_text("class Outer:\n    class Inner: ...\n\nvalue = 3\n")
    (tmp_path / "plugin_that_fails.py").write_text("import not_installed_anywhere\n")
    (tmp_path / "plugin_of_names.py").write_text("import airflow.hooks.nothing\n")
    (tmp_path / "plugin_of_azure.py").write_text(
        "from airflow.providers.microsoft.azure.hooks.wasb import (\n    WasbHook,\n)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    dialect.enable()


def test_airflows_path_and_ours_give_the_same_class() -> None:
    path = "airflow.timetables.trigger.CronTriggerTimetable"
    assert (
        load_class(path)
        is load_class("gnomon.rules.timetables.trigger_timetables.CronTriggerTimetable")
        is CronTriggerTimetable
    )
    assert load_class("airflow.models.DAG") is DAG


def test_a_bare_name_is_a_built_in_timetable() -> None:
    assert load_class("NullTimetable") is NullTimetable


@pytest.mark.usefixtures("plugin")
def test_an_authors_class_also_a_nested_one() -> None:
    assert load_class("plugin_of_mine.Outer.Inner").__qualname__ == "Outer.Inner"
    assert load_object("plugin_of_mine.value") == 3


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere_at_all.Class", "no module 'nowhere_at_all'"),
        ("plugin_of_mine.Missing", "no 'Missing'"),
        ("plugin_of_mine.value", "not a class but int"),
        (
            "plugin_that_fails.Class",
            r"No module named 'not_installed_anywhere' \(at .*plugin_that_fails.py, line 1\)\. Install it",
        ),
        (
            "plugin_of_names.Class",
            r"airflow.hooks.nothing does not exist in Gnomon.* \(at .*plugin_of_names.py, line 1\)\.$",
        ),
        (
            "airflow.providers.acme.triggers.Class",
            "there is no module 'airflow.providers.acme' here.*`gnomon providers install acme`",
        ),
        (
            "airflow.providers.microsoft.azure.triggers.wasb.Class",
            "no module 'airflow.providers.microsoft' here.*`gnomon providers install microsoft-azure`",
        ),
        (
            "plugin_of_azure.Class",
            r"No module named 'airflow.providers.microsoft' \(at .*line 1\)\. Run `gnomon providers install microsoft-azure` on this machine",
        ),
        ("NotATimetable", "not a built-in timetable"),
        ("airflow.triggers.nothing.Class", "has no 'nothing'"),
    ],
)
def test_a_path_that_leads_nowhere_is_named(path: str, words: str) -> None:
    with pytest.raises(UserError) as raised:
        load_class(path)
    assert path in str(raised.value)
    assert re.search(words, str(raised.value))


def test_enabling_puts_the_tree_first_once() -> None:
    dialect.enable()
    sys.path.insert(0, "/somewhere/before")
    dialect.enable()
    assert sys.path[0] == dialect.TREE
    assert sys.path.count(dialect.TREE) == 1
    assert dialect.is_enabled()


def test_another_airflow_that_is_imported_already_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ModuleType("airflow")
    other.__file__ = "/site-packages/airflow/__init__.py"
    monkeypatch.setitem(sys.modules, "airflow", other)
    with pytest.raises(UserError, match="/site-packages/airflow"):
        dialect.enable()


def test_programs_that_a_task_starts_find_the_dialect_too() -> None:
    assert dialect.python_path(None) == dialect.TREE
    assert dialect.python_path("/mine") == f"{dialect.TREE}:/mine"
