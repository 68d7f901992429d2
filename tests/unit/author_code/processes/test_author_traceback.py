"""Which frames of a traceback the author of a DAG file sees."""

from __future__ import annotations

import functools
import json
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon import examples
from gnomon.author_code.processes.author_traceback import is_author_file, trim_error
from gnomon.authoring import sdk

pytestmark = pytest.mark.pure

_GNOMON = str(Path(sdk.__file__).with_name("caller.py"))


def _call_from(filename: str, function: Callable[[], object]) -> Callable[[], object]:
    """A function of that file which calls the other."""
    names: dict[str, Callable[[], object]] = {"function": function}
    exec(compile("def call():\n    return function()\n", filename, "exec"), names)
    return names["call"]


def _list_files(function: Callable[[], object]) -> list[str]:
    try:
        function()
    except ValueError as error:
        _kind, _value, trace = trim_error(error.with_traceback(error.__traceback__ and error.__traceback__.tb_next))
        return [frame.filename for frame in traceback.extract_tb(trace)]
    raise AssertionError("no error")


def _fail() -> None:
    raise ValueError("broken")


def test_gnomons_frames_above_the_authors_are_cut_and_those_below_stay() -> None:
    below = _call_from(
        "/dags/etl.py", _call_from(_GNOMON, _call_from("/dags/shared.py", functools.partial(json.loads, "{")))
    )
    files = _list_files(_call_from(_GNOMON, _call_from(_GNOMON, below)))
    assert files[:3] == ["/dags/etl.py", _GNOMON, "/dags/shared.py"] and json.__file__ in files


def test_an_error_without_a_line_of_the_author_keeps_gnomons_frames() -> None:
    files = _list_files(_call_from(_GNOMON, functools.partial(json.loads, "{")))
    assert files[0] == _GNOMON


def test_a_package_between_gnomon_and_the_author_is_shown() -> None:
    files = _list_files(_call_from(_GNOMON, _call_from(pytest.__file__, _fail)))
    assert files == [pytest.__file__, __file__]


def test_an_example_is_read_as_a_file_of_the_author() -> None:
    assert is_author_file(str(Path(next(iter(examples.__path__))) / "example_hello.py"))
    assert not is_author_file(_GNOMON) and not is_author_file(json.__file__) and not is_author_file("<string>")
