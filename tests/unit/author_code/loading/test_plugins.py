"""Plugins: found in the plugins folder and behind entry points, each for itself; one that fails stops no other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from gnomon.author_code.loading.plugins import PluginRow
from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.ground.config import load_config
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.slots import TimetableRef

pytestmark = pytest.mark.ordinary

SURVEY = "gnomon.author_code.loading.plugins:list_plugins"
PLUGIN = """
from airflow.plugins_manager import AirflowPlugin
from airflow.sdk.bases.operatorlink import BaseOperatorLink
from airflow.timetables.base import Timetable, DagRunInfo, DataInterval

class Docs(BaseOperatorLink):
    name = "Docs"
    static_url = "https://docs.example"

class {cls}(Timetable):
    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        return None

class {cls}Plugin(AirflowPlugin):
    name = "{name}"
    timetables = [{cls}]
    macros = [len]
    operator_extra_links = [Docs()]
"""
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def at(name: str, text: str) -> Path:
        path = tmp_path / "plugins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    (tmp_path / "plugins").mkdir()
    return at


def survey(home: Path) -> dict[str, PluginRow]:
    """Every plugin by name, as a process of its own finds it."""
    rows: list[PluginRow] = ask_and_wait(load_config({}, home), SURVEY, list[PluginRow], imports=True)
    return {row.name: row for row in rows}


def test_every_plugin_is_told_with_what_it_brings(tmp_path: Path, write: Write) -> None:
    flat = write("flat.py", PLUGIN.format(cls="Flat", name="one"))
    write("team/__init__.py", "")
    write("team/deep.py", PLUGIN.format(cls="Deep", name="two"))
    write("odd-name.py", PLUGIN.format(cls="Odd", name="three"))
    write("helper.py", "raise RuntimeError('no plugin: nobody imports it')\n")
    found = survey(tmp_path)
    assert found["one"] == PluginRow(
        name="one", place=str(flat), timetables=("flat.Flat",), brings=("timetables", "macros", "operator_extra_links")
    )
    assert found["two"].timetables == ("team.deep.Deep",) and found["three"].timetables == ("odd-name.Odd",)
    assert sorted(found) == ["one", "three", "two"]


def test_a_plugin_that_fails_is_told_with_file_and_line_and_stops_no_other(tmp_path: Path, write: Write) -> None:
    bad = write("bad.py", "from airflow.plugins_manager import AirflowPlugin\n\nx = 1 / 0\n")
    wrong = write("wrong.py", "from airflow.plugins_manager import AirflowPlugin\nclass :\n")
    write("leaves.py", "import sys\nfrom airflow.plugins_manager import AirflowPlugin\nsys.exit(4)\n")
    write("nameless.py", PLUGIN.format(cls="Nameless", name=""))
    write("object.py", PLUGIN.format(cls="Object", name="object").replace("[Object]", "[Object()]"))
    write("good.py", PLUGIN.format(cls="Good", name="good"))
    found = survey(tmp_path)
    assert found["bad.py"].error == f"{bad}, line 3: ZeroDivisionError: division by zero"
    assert (found["wrong.py"].error or "").startswith(f"{wrong}, line 2: SyntaxError")
    assert "line 3: SystemExit: 4" in (found["leaves.py"].error or "")
    assert "has no name" in (found["NamelessPlugin"].error or "")
    assert "list classes, not objects" in (found["object"].error or "")
    assert found["good"].error is None


def test_a_plugin_behind_an_entry_point_is_found(tmp_path: Path, write: Write) -> None:
    installed = tmp_path / "plugins"  # any folder of the import path may hold a distribution
    write(
        "packaged.py",
        PLUGIN.format(cls="Packaged", name="packaged")
        .replace("AirflowPlugin", "Base")
        .replace("import Base", "import AirflowPlugin as Base", 1),
    )
    info = installed / "packaged-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: packaged\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[airflow.plugins]\nmine = packaged:PackagedPlugin\nbroken = packaged:Nothing\n"
    )
    found = survey(tmp_path)
    assert found["packaged"].timetables == ("packaged.Packaged",)
    assert "entry point broken (packaged:Nothing): AttributeError" in (found["broken"].error or "")


CASES = {
    "in the plugins folder": ("workday.py", "workday.Workday"),
    "in a package of it": ("team/workday.py", "team.workday.Workday"),
    "in a folder of it, by the name that Airflow gives it": ("team/hours/workday.py", "workday.Workday"),
}


@pytest.mark.parametrize(("name", "path"), CASES.values(), ids=CASES)
def test_a_timetable_of_a_plugin_is_found_by_its_stored_path(
    tmp_path: Path, write: Write, name: str, path: str
) -> None:
    write(name, PLUGIN.format(cls="Workday", name="w"))
    ref = TimetableRef(path=path, builtin=False)
    assert (
        ask_and_wait(
            load_config({}, tmp_path), "gnomon.author_code.loading.plugins:timetable_class_path", str, timetable=ref
        )
        == path
    )


def test_a_class_that_only_its_plugin_knows_is_found_by_it(tmp_path: Path, write: Write) -> None:
    text = PLUGIN.format(cls="Made", name="made").replace(
        "[Made]", "[type('Hidden', (Made,), {'__module__': __name__})]"
    )
    write("made.py", text)
    ref = TimetableRef(path="made.Hidden", builtin=False)
    assert (
        ask_and_wait(
            load_config({}, tmp_path), "gnomon.author_code.loading.plugins:timetable_class_path", str, timetable=ref
        )
        == "made.Hidden"
    )


def test_what_is_nowhere_is_told(tmp_path: Path, write: Write) -> None:
    write("workday.py", PLUGIN.format(cls="Workday", name="w"))
    with pytest.raises(PlanningError, match="no module 'nowhere'"):
        ask_and_wait(
            load_config({}, tmp_path),
            "gnomon.author_code.loading.plugins:timetable_class_path",
            str,
            timetable=TimetableRef(path="nowhere.Workday", builtin=False),
        )


def test_the_command_lists_them(tmp_path: Path, write: Write) -> None:
    write("flat.py", PLUGIN.format(cls="Flat", name="one"))
    done = subprocess.run(
        [sys.executable, "-m", "gnomon", "plugins", "list", "-o", "json"],
        capture_output=True,
        check=True,
        env={"GNOMON_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
    )
    (row,) = msgspec.json.decode(done.stdout)
    assert row["name"] == "one" and row["timetables"] == ["flat.Flat"]
