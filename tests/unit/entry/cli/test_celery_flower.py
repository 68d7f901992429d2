"""`gnomon celery flower`: Flower gets the broker of the options, and what only it may read comes by its environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from gnomon.entry.cli import celery
from gnomon.entry.cli.main import main

pytestmark = pytest.mark.pure


class Replaced(BaseException):
    """The process would be another program now: nothing of the command may catch it."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[list[str], Mapping[str, str]]]:
    """What was started in the place of the command."""
    found: list[tuple[list[str], Mapping[str, str]]] = []

    def execve(path: str, arguments: list[str], environ: Mapping[str, str]) -> None:
        assert path == sys.executable
        found.append((arguments[1:], environ))
        raise Replaced

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(celery, "find_spec", lambda name: object())
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path))
    monkeypatch.setenv("GNOMON__CELERY__BROKER_URL", "redis://:pass@broker:6379/3")
    return found


def test_flower_is_on_this_machine_only_and_knows_the_broker(
    started: list[tuple[list[str], Mapping[str, str]]],
) -> None:
    with pytest.raises(Replaced):
        main(["celery", "flower"])
    ((arguments, environ),) = started
    assert arguments == ["-m", "celery", "flower"]
    assert (environ["CELERY_BROKER_URL"], environ["FLOWER_ADDRESS"], environ["FLOWER_PORT"]) == (
        "redis://:pass@broker:6379/3",
        "127.0.0.1",
        "5555",
    )
    assert not {"FLOWER_BASIC_AUTH", "FLOWER_URL_PREFIX", "FLOWER_BROKER_API"} & set(environ)


def test_every_option_reaches_flower_and_no_secret_is_an_argument(
    started: list[tuple[list[str], Mapping[str, str]]],
) -> None:
    with pytest.raises(Replaced):
        main(
            [
                "celery",
                "flower",
                "-H",
                "0.0.0.0",
                "-p",
                "5600",
                "-u",
                "flower",
                "-a",
                "me:secret",
                "-b",
                "http://guest:guest@rabbit:15672/api/",
            ]
        )
    ((arguments, environ),) = started
    assert not any("secret" in one or "pass" in one for one in arguments)
    names = ("ADDRESS", "PORT", "URL_PREFIX", "BASIC_AUTH", "BROKER_API")
    assert [environ[f"FLOWER_{name}"] for name in names] == [
        "0.0.0.0",
        "5600",
        "flower",
        "me:secret",
        "http://guest:guest@rabbit:15672/api/",
    ]


def test_without_flower_the_remedy_is_said(
    started: list[tuple[list[str], Mapping[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(celery, "find_spec", lambda name: None if name == "flower" else object())
    assert main(["celery", "flower"]) == 1
    assert not started
    assert (
        capsys.readouterr().err.strip()
        == "gnomon: gnomon celery flower needs the package flower, which is not installed: run `pip install 'gnomon[celery]' flower`"
    )


def test_an_empty_name_of_a_queue_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for queues in (",", "fast,", ""):
        assert main(["celery", "worker", "-q", queues]) == 1
        assert f"-q {queues!r} has an empty name of a queue" in capsys.readouterr().err
