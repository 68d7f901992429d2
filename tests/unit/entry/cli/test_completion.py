"""Completion: commands, and names of the database, without loading the commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.entry.cli.commands import root
from gnomon.entry.cli.completion.command_table import ARGUMENTS, FLAGS
from gnomon.entry.cli.completion.completer import complete
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.config import set_current_config

_KINDS = {
    "dag_id": "dag",
    "dag_ids": "dag",
    "run_id": "run",
    "run_or_date": "run",
    "task_id": "task",
    "task": "task",
    "task_ids": "task",
    "file_or_id": "dag",
    "pools name": "pool",
    "variables key": "variable",
}


def _walk(group: click.Group, path: tuple[str, ...]) -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        found |= (
            _walk(command, (*path, name)) if isinstance(command, click.Group) else {" ".join((*path, name)): command}
        )
    return found


def _kinds(path: str, command: click.Command) -> str:
    kinds = []
    for argument in (one for one in command.params if isinstance(one, click.Argument)):
        kind = _KINDS.get(f"{path.split()[0]} {argument.name}") or _KINDS.get(argument.name or "", "-")
        kinds.append(kind + ("*" if argument.nargs == -1 and kind != "-" else ""))
    while kinds and kinds[-1] == "-":
        kinds.pop()
    return " ".join(kinds)


def test_the_table_is_that_of_the_commands() -> None:
    commands = _walk(root, ())
    assert {path: _kinds(path, command) for path, command in commands.items()} == ARGUMENTS
    options = [
        one for command in commands.values() for one in command.params if isinstance(one, click.Option) and one.is_flag
    ]
    assert {name for one in options for name in one.opts} == FLAGS


@pytest.fixture
def known(home: Home, gnomon: Gnomon, deployment: Deployment) -> Iterator[None]:
    set_current_config(home.cfg)
    deployment.add(spec_of("etl", {"load": (), "look": ()}), spec_of("other"))
    deployment.start()
    gnomon("dags", "trigger", "etl", "--run-id", "manual__2026-03-01T00:00:00+00:00")
    yield
    set_current_config(None)


@pytest.mark.parametrize(
    ("args", "incomplete", "names"),
    [
        ("", "grid", ["grid"]),
        ("", "comp", ["completion"]),
        ("runs", "w", ["wait"]),
        ("state-store task", "cl", ["clear"]),
        ("runs show", "", ["etl", "other"]),
        ("runs show", "e", ["etl"]),
        ("runs show etl", "manual__2026-03-01T", ["manual__2026-03-01T00:00:00+00:00"]),
        ("tasks logs -f etl r", "lo", ["load", "look"]),
        ("runs list --state failed", "o", ["other"]),
        ("dags pause etl", "", ["other"]),
        ("pools delete", "de", ["default_pool"]),
        ("runs show nothing", "", []),
    ],
)
@pytest.mark.usefixtures("known")
def test_names_are_completed(args: str, incomplete: str, names: list[str]) -> None:
    found = complete(args.split(), incomplete)
    assert found is not None and [item.value for item in found] == names


@pytest.mark.parametrize(
    ("args", "incomplete"), [("runs list --state", ""), ("runs list", "--s"), ("explain a b c", "")]
)
def test_options_and_what_has_no_names_are_left_to_click(args: str, incomplete: str) -> None:
    assert complete(args.split(), incomplete) is None


def test_a_home_without_a_database_completes_nothing_and_says_nothing(empty_home: Home) -> None:
    set_current_config(empty_home.cfg)
    try:
        assert complete(["runs", "show"], "") == []
    finally:
        set_current_config(None)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed_and_installed(
    shell: str, gnomon: Gnomon, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", f"{tmp_path}/data")
    monkeypatch.setenv("XDG_CONFIG_HOME", f"{tmp_path}/config")
    script = gnomon("completion", shell).out
    assert "_GNOMON_COMPLETE" in script
    ended = gnomon("completion", shell, "--install")
    with open(ended.out.strip()) as installed:
        assert ended.code == 0 and installed.read() == script


def test_a_shell_that_asks_loads_neither_commands_nor_the_store() -> None:
    code = (
        "import sys; from gnomon.entry.cli.main import main; main(); "
        "bad = [m for m in sys.modules if m.split('.')[0] in ('rich', 'psycopg', 'textual') or m.startswith(('gnomon.storage.store', 'gnomon.queries.report', 'gnomon.rules.engine'))]; "
        "print('loaded', bad)"
    )
    environ = {
        "COMP_WORDS": "gnomon runs show x",
        "COMP_CWORD": "3",
        "_GNOMON_COMPLETE": "bash_complete",
        "GNOMON_HOME": "/nowhere",
        "PATH": "",
    }
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=60, check=True
    )
    assert (ended.stdout, ended.stderr) == ("\nloaded []\n", "")


def test_no_name_of_the_home_is_offered_for_an_api(known: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [item.value for item in complete(["dags", "show"], "") or ()] == ["etl", "other"]
    assert complete(["--api", "http://x", "dags", "show"], "") == complete(["dags", "show", "--api=http://x"], "") == []
    assert [item.value for item in complete(["--api", "http://x", "dags"], "sh") or ()] == ["show"]
    monkeypatch.setenv("GNOMON_API", "http://x")
    assert complete(["dags", "show"], "") == []
    assert [item.value for item in complete(["--api", "", "dags", "show"], "e") or ()] == ["etl"]
