"""The author's line in a stack: of this process, and of the dump of another one."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import FrameType

import pytest

from gnomon.author_code.processes import author_frames
from gnomon.author_code.processes.author_frames import DumpFrame

pytestmark = pytest.mark.pure

OWN_FILE = str(Path(author_frames.__file__))
DUMP = f"""Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "{sysconfig.get_path("stdlib")}/ctypes/__init__.py", line 517 in string_at
  File "/home/author/dags/moody.py", line 12 in _read
  File "/home/author/dags/moody.py", line 30 in next_dagrun_info
  File "{OWN_FILE}", line 9 in plan_runs
  File "<frozen runpy>", line 88 in _run_code
"""


def test_the_frames_of_a_dump_are_read_innermost_first() -> None:
    assert author_frames.parse_fault_dump(DUMP)[1] == DumpFrame("/home/author/dags/moody.py", 12, "_read")
    assert author_frames.parse_fault_dump("no stack here\n") == []


def test_only_the_frames_of_the_author_are_listed() -> None:
    assert [frame.function for frame in author_frames.list_author_frames(DUMP)] == ["_read", "next_dagrun_info"]


def test_the_place_of_the_author_is_the_innermost_line_outside_of_gnomon_and_python() -> None:
    places: list[str] = []

    def author_code(_value: object) -> int:
        frame: FrameType | None = sys._getframe()
        places.append(author_frames.find_author_place(frame))
        return 0

    sorted([1], key=author_code)
    assert places[0].startswith(f"{__file__}, line ")


def test_example_timetables_of_the_airflow_tree_count_as_author_code() -> None:
    package = Path(OWN_FILE).parents[2]
    assert author_frames.is_own_file(str(package / "rules" / "planning" / "queries.py"))
    assert not author_frames.is_own_file(str(package / "airflow_compat" / "tree" / "airflow" / "example.py"))
