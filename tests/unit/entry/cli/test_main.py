"""The edge of the command line: exit codes and messages."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata

import click
import pytest

from gnomon.entry.cli import commands
from gnomon.entry.cli.commands import LazyCommand
from gnomon.entry.cli.completion.command_table import ARGUMENTS
from gnomon.entry.cli.main import main
from gnomon.entry.cli.unknown_commands import OF_AIRFLOW
from gnomon.model.errors.product import InternalError, ResourceUnavailable, UserError

HEAVY = {
    "rich",
    "psycopg",
    "sqlite3",
    "yaml",
    "gnomon.storage.store",
    "gnomon.entry.app",
    "gnomon.authoring.sdk",
    "pendulum",
}


def _command(monkeypatch: pytest.MonkeyPatch, body: Callable[[], object]) -> None:
    """The command `probe` exists and does `body`."""
    monkeypatch.setattr(sys.modules[__name__], "probe", click.command("probe")(body), raising=False)
    monkeypatch.setitem(commands.root._lazy, "probe", LazyCommand(f"{__name__}:probe", "A probe."))


@pytest.mark.pure
@pytest.mark.parametrize("error", [UserError("the pool is full"), ResourceUnavailable("the pool is full")])
def test_a_known_error_is_one_message_on_stderr_and_exit_code_1(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def body() -> None:
        raise error

    _command(monkeypatch, body)
    assert main(["probe"]) == 1
    assert capsys.readouterr() == ("", "gnomon: the pool is full\n")


@pytest.mark.pure
@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), InternalError("by zero")])
def test_an_unexpected_error_hides_its_traceback_and_says_how_to_see_it(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def body() -> None:
        raise error

    _command(monkeypatch, body)
    assert main(["probe"]) == 1
    said = capsys.readouterr().err
    assert "by zero" in said and "GNOMON_DEBUG=1" in said and "Traceback" not in said
    monkeypatch.setenv("GNOMON_DEBUG", "1")
    assert main(["probe"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.pure
@pytest.mark.parametrize(
    "args", [["probe", "--nonsense"], ["probe", "extra"], ["dags", "lst"], ["dgas"], ["runs", "show"]]
)
def test_wrong_usage_is_exit_code_2(
    args: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _command(monkeypatch, lambda: None)
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and "Usage:" in err


@pytest.mark.pure
def test_an_unknown_command_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dgas"]) == 2
    assert "'dags'" in capsys.readouterr().err


@pytest.mark.pure
@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("runs trigger x", "'gnomon dags trigger'"),
        ("dags explain x", "'gnomon explain'"),
        ("logs x", "'gnomon runs logs' or 'gnomon tasks logs'"),
        ("dags list-runs x", "'gnomon runs list'"),
        ("webserver", "'gnomon api-server'"),
        ("users add x", "'gnomon users create'"),
        ("connections rm x", "'gnomon connections delete'"),
        ("runs lst", "'list'"),
    ],
)
def test_a_command_under_another_name_is_answered_with_ours(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed.split()) == 2
    assert capsys.readouterr().err.endswith(f"Did you mean {meant}?\n")


@pytest.mark.pure
@pytest.mark.parametrize("typed", ["pools test x", "config show", "frobnicate", "runs rm x"])
def test_no_command_is_guessed_among_many_or_none(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(typed.split()) == 2
    assert capsys.readouterr().err.endswith(f"No such command '{typed.split()[min(1, len(typed.split()) - 1)]}'.\n")


@pytest.mark.pure
def test_names_of_airflow_lead_to_commands_and_are_none() -> None:
    assert set(OF_AIRFLOW.values()) <= set(ARGUMENTS)
    assert not set(OF_AIRFLOW) & set(ARGUMENTS)


@pytest.mark.pure
def test_ctrl_c_is_exit_code_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def body() -> None:
        raise KeyboardInterrupt

    _command(monkeypatch, body)
    assert main(["probe"]) == 130
    assert capsys.readouterr().err.strip() == ""


@pytest.mark.pure
def test_a_refused_confirmation_is_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def body() -> None:
        raise click.Abort

    _command(monkeypatch, body)
    assert main(["probe"]) == 1
    assert "nothing was changed" in capsys.readouterr().err


@pytest.mark.pure
def test_a_command_decides_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    _command(monkeypatch, lambda: 3)
    assert main(["probe"]) == 3


@pytest.mark.pure
def test_every_command_of_the_table_loads(capsys: pytest.CaptureFixture[str]) -> None:
    for name in commands.COMMANDS:
        assert main([name, "--help"]) == 0
    assert "Usage: gnomon dags" in capsys.readouterr().out


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from gnomon.entry.cli.main import main; assert main(['--help']) == 0; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment())
    assert "standalone" in done.stdout
    assert not HEAVY & set(done.stderr.split())


def test_a_reader_that_leaves_is_no_error_message() -> None:
    code = "import sys; from gnomon.entry.cli.main import main; sys.exit(main(['config', 'list', '-o', 'json']))"
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, text=True, env=_environment()
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


@pytest.mark.pure
def test_the_version_is_printed_by_the_command_and_by_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0 and main(["--version"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second == metadata.version("gnomon")
