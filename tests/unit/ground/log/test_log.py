"""Events become lines."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from gnomon.ground import log


@pytest.fixture(autouse=True)
def _root_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def _lines(style: str, level: str = "INFO") -> io.StringIO:
    stream = io.StringIO()
    log.configure("scheduler", level, style, stream)
    return stream


def test_an_event_is_one_json_object_with_its_fields() -> None:
    stream = _lines("json")
    log.get_logger("engine").info("run_planned", dag_id="etl", slot="2026-01-01", at="field of that name")
    line = json.loads(stream.getvalue())
    assert line.pop("at").endswith("+00:00")
    assert line == {
        "level": "info",
        "service": "scheduler",
        "logger": "gnomon.engine",
        "event": "run_planned",
        "dag_id": "etl",
        "slot": "2026-01-01",
        "at_": "field of that name",
    }


def test_what_json_does_not_know_is_written_as_text() -> None:
    stream = _lines("json")
    log.get_logger("x").info("odd", value=object(), error=ValueError("no"))
    assert json.loads(stream.getvalue())["error"] == "no"


def test_a_traceback_stays_on_the_line_of_its_event() -> None:
    stream = _lines("json")
    try:
        raise ValueError("boom")
    except ValueError:
        log.get_logger("x").exception("failed")
    [line] = stream.getvalue().splitlines()
    assert json.loads(line)["traceback"].endswith("ValueError: boom")


def test_a_person_reads_words() -> None:
    stream = _lines("text")
    log.get_logger("x").warning("service_exited", process="worker", how="was killed by signal 9")
    assert stream.getvalue().endswith(
        "scheduler      WARNING: service exited process=worker how='was killed by signal 9'\n"
    )


@pytest.mark.parametrize("style", ["json", "text"])
@pytest.mark.parametrize("sign", ["\x1b[2J", "\x9b2J", "\x85", "\r\n", "\u2028", "\u202e", "\u2066", "\x7f"])
def test_a_text_of_somebody_commands_no_terminal_and_begins_no_line(style: str, sign: str) -> None:
    stream = _lines(style)
    log.get_logger("x").warning("refused", path=f"/a{sign}b", texts=[sign])
    line = stream.getvalue()
    assert line.count("\n") == 1
    assert line.removesuffix("\n").isprintable()
    if style == "json":
        assert (json.loads(line)["path"], json.loads(line)["texts"]) == (f"/a{sign}b", [sign])


def test_auto_means_json_where_there_is_no_terminal() -> None:
    stream = _lines("auto")
    log.get_logger("x").info("hello")
    assert json.loads(stream.getvalue())["event"] == "hello"


def test_events_below_the_level_are_dropped() -> None:
    stream = _lines("json", "WARNING")
    log.get_logger("x").info("quiet")
    assert stream.getvalue() == ""


def test_configuring_again_replaces_the_service_name() -> None:
    first = _lines("json")
    second = io.StringIO()
    log.configure("worker", "INFO", "json", second)
    log.get_logger("x").info("hello")
    assert first.getvalue() == ""
    assert json.loads(second.getvalue())["service"] == "worker"
