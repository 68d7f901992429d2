"""Words of a command line that no database stores: a sentence and an exit code, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.entry.cli.output import escape_controls, format_sentence
from gnomon.model.spec import ParseFailure

BYTES = "a" + chr(0xDCE9)
"""What Python makes of an argument that is not UTF-8."""


@pytest.mark.parametrize(
    "words",
    [
        ("variables", "set", BYTES, "v"),
        ("variables", "set", "k", BYTES),
        ("variables", "set", "k", "v", "--description", BYTES),
        ("variables", "get", BYTES),
        ("pools", "set", BYTES, "1"),
        ("pools", "set", "p", "1", BYTES),
        ("pools", "set", "p", str(2**63)),
        ("pools", "set", "p", str(2**31)),
        ("dags", "trigger", "a", "--run-id", BYTES),
        ("dags", "trigger", BYTES),
        ("dags", "trigger", "a", "--conf", '{"a": NaN}'),
        ("dags", "trigger", "a", "--conf", '{"a": "\\udce9"}'),
        ("dags", "trigger", "a", "--conf", '{"a": 1e999}'),
        ("dags", "trigger", "a", "--logical-date", "9999-12-31T23:59:59-14:00"),
        ("dags", "trigger", "a", "--logical-date", "0001-01-01T00:00:00+14:00"),
        ("backfill", "create", "a", "--from-date", "0001-01-01", "--to-date", "9999-12-31"),
        ("connections", "add", BYTES, "--conn-type", "http"),
        ("connections", "add", "c", "--conn-type", "http", "--conn-password", BYTES),
    ],
)
def test_a_word_that_cannot_be_stored_is_an_error_or_is_stored(
    gnomon: Callable[..., Any], deployment: Deployment, words: tuple[str, ...]
) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    ended = gnomon(*words)
    assert "Traceback" not in ended.err and "unexpected" not in ended.err, ended.err
    deployment.move(5)
    assert deployment._service is not None and deployment._service.refused_commits == 0
    assert gnomon("runs", "list", "a").code == 0


@pytest.mark.parametrize("conf", ['{"a": NaN}', '{"a": [1e999]}', '{"a": "\\udce9"}'])
def test_a_conf_that_is_not_json_is_refused(gnomon: Callable[..., Any], deployment: Deployment, conf: str) -> None:
    deployment.add(spec_of("a"))
    ended = gnomon("dags", "trigger", "a", "--conf", conf)
    assert ended.code == 2 and "'--conf': not valid JSON: a" in ended.err


def test_a_pool_has_no_more_slots_than_the_database_stores(gnomon: Callable[..., Any], deployment: Deployment) -> None:
    assert gnomon("pools", "set", "p", str(2**31 - 1)).code == 0
    ended = gnomon("pools", "set", "p", str(2**31))
    assert (
        ended.code == 2
        and f"'{2**31}' is not an integer from" in ended.err
        and ended.err.rstrip(".\n").endswith(f"to {2**31 - 1}")
    )


@pytest.mark.parametrize(
    ("thing", "most", "words"),
    [
        ("pool", 256, ("pools", "set", "{}", "1")),
        ("Variable", 250, ("variables", "set", "{}", "v")),
        ("connection", 200, ("connections", "add", "{}", "--conn-type", "http")),
    ],
)
def test_a_name_has_no_more_characters_than_an_index_holds(
    gnomon: Callable[..., Any], deployment: Deployment, thing: str, most: int, words: tuple[str, ...]
) -> None:
    assert gnomon(*(word.format("x" * most) for word in words)).code == 0
    ended = gnomon(*(word.format("y" * (most + 1)) for word in words))
    assert ended.code != 0
    assert (
        f"the name of a {thing} has at most {most} characters; this one has {most + 1}, and begins with '{'y' * 40}'"
        in " ".join(ended.err.split())
    )


HOSTILE = "one\x1b]8;;https://evil.example\x07two\x1b[2J\u202ethree\x9b31m\n\tfour"
SHOWN = r"one\x1b]8;;https://evil.example\x07two\x1b[2J\u202ethree\x9b31m" + "\n\tfour"


def test_the_error_of_a_dag_file_controls_no_terminal(gnomon: Callable[..., Any], deployment: Deployment) -> None:
    deployment.add(spec_of("a"), file="/dags/a.py", failures=(ParseFailure(kind="import", message=HOSTILE),))
    assert SHOWN in gnomon("dags", "errors").out


def test_a_sentence_with_the_words_of_an_author_controls_no_terminal(gnomon: Callable[..., Any]) -> None:
    assert escape_controls(HOSTILE) == SHOWN
    assert format_sentence(HOSTILE) == SHOWN


def test_an_error_that_shows_what_was_asked_for_controls_no_terminal(
    gnomon: Callable[..., Any], deployment: Deployment
) -> None:
    ended = gnomon("dags", "show", "a\x1b[2J\u202eb")
    assert ended.code != 0
    assert not {"\x1b", "\u202e"} & set(ended.err)
