"""A task that raises an exception whose text cannot be made fails with a reason that says so, and its callbacks get that exception."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld

ERRORS = [
    (
        "raises",
        "class E(Exception):\n    def __str__(self): raise ValueError('no str')",
        "E()",
        "E: <its text cannot be made: ValueError: no str>",
    ),
    (
        "number",
        "class E(Exception):\n    def __str__(self): return 3",
        "E()",
        "E: <its text cannot be made: TypeError: __str__ returned non-string (type int)>",
    ),
    (
        "exits",
        "class E(Exception):\n    def __str__(self): raise SystemExit(1)",
        "E()",
        "E: <its text cannot be made: SystemExit: 1>",
    ),
    (
        "interrupts",
        "class E(Exception):\n    def __str__(self): raise KeyboardInterrupt",
        "E()",
        "E: <its text cannot be made: KeyboardInterrupt>",
    ),
    (
        "recursive",
        "class E(Exception):\n    def __str__(self): return str(self)",
        "E()",
        "E: <its text cannot be made: RecursionError: maximum recursion depth exceeded",
    ),
    ("surrogate", "class E(Exception): pass", "E('a\\ud800b\\0c')", "E: a\\ud800b\\x00c"),
    ("huge", "class E(Exception): pass", "E('x' * 50_000_000)", f"E: {'x' * 997}"),
    (
        "no-cause",
        "class E(Exception):\n    @property\n    def __cause__(self): raise ValueError('no cause')",
        "E('text')",
        "E: text",
    ),
    (
        "no-traceback",
        "class E(Exception):\n    @property\n    def __traceback__(self): raise ValueError('no traceback')",
        "E('text')",
        "E: text",
    ),
    (
        "no-class",
        "class E(Exception):\n    @property\n    def __class__(self): raise ValueError('no class')",
        "E('text')",
        "E: text",
    ),
    (
        "no-pickle",
        "class E(Exception):\n    def __reduce__(self): raise ValueError('no pickle')",
        "E('text')",
        "E: text",
    ),
    (
        "base",
        "class E(BaseException):\n    def __str__(self): raise ValueError('no str')",
        "E()",
        "E: <its text cannot be made: ValueError: no str>",
    ),
    (
        "group",
        "class E(Exception):\n    def __str__(self): raise ValueError('no str')",
        "ExceptionGroup('all', [E(), E()])",
        "ExceptionGroup: all (2 sub-exceptions)",
    ),
    (
        "exit-code",
        "class Code:\n    def __repr__(self): raise ValueError('no repr')",
        "SystemExit(Code())",
        "called sys.exit(<Code: its repr raised ValueError>)",
    ),
    (
        "exit-attribute",
        "class E(SystemExit):\n    @property\n    def code(self): raise ValueError('no code')",
        "E()",
        "E (its attributes cannot be read: ValueError: no code)",
    ),
    (
        "skip",
        "from airflow.exceptions import AirflowFailException\nclass E(AirflowFailException):\n    def __str__(self): raise ValueError('no str')",
        "E()",
        "E: <its text cannot be made: ValueError: no str>",
    ),
]


def dag_file(world: WorkerWorld, name: str, head: str, raised: str) -> Path:
    path = world.home / f"{name}.py"
    path.write_text(
        f"from gnomon import DAG, task\n{head}\nKEPT = []\n"
        "def told(context): print('told of', type(context['exception']).__name__, context['exception'] is KEPT[0])\n"
        f"@task(on_failure_callback=told)\ndef t():\n    KEPT.append({raised})\n    raise KEPT[0]\n\nwith DAG('d', schedule=None):\n    t()\n"
    )
    return path


@pytest.mark.parametrize(("name", "head", "raised", "reason"), ERRORS, ids=[name for name, *_ in ERRORS])
def test_the_reason_says_what_can_be_said_and_the_callback_gets_the_exception(
    world: WorkerWorld, name: str, head: str, raised: str, reason: str
) -> None:
    attempt = world.attempt(dag_file(world, name, head, raised))
    result = world.run(attempt)
    assert result.outcome == "failed"
    assert (result.reason or "").startswith(reason) and "os._exit" not in (result.reason or "")
    lines = world.log_of(attempt).splitlines()
    assert any(line.startswith("told of") and line.endswith("True") for line in lines)
    assert any("ERROR    task failed:" in line for line in lines) and any("in t" in line for line in lines)


def test_a_callback_and_an_on_kill_with_such_an_error_change_nothing(world: WorkerWorld) -> None:
    path = world.home / "callback.py"
    path.write_text(
        "from gnomon import DAG, task\nclass E(Exception):\n    def __str__(self): raise SystemExit(3)\n"
        "def raises(context): raise E()\ndef after(context): print('the next one was called')\n"
        "@task(on_success_callback=[raises, after])\ndef t(): return 1\n\nwith DAG('d', schedule=None):\n    t()\n"
    )
    attempt = world.attempt(path)
    assert world.run(attempt).outcome == "success"
    assert "on_success_callback of task t failed; the outcome stays" in world.log_of(attempt)
    assert "the next one was called" in world.log_of(attempt)


def test_a_file_whose_import_raises_such_an_error_fails_its_tasks_with_a_reason(world: WorkerWorld) -> None:
    path = world.home / "import.py"
    path.write_text("class E(Exception):\n    def __str__(self): raise ValueError('no str \\ud800')\nraise E()\n")
    result = world.run(world.attempt(path))
    assert (result.outcome, result.reason) == ("failed", "E: <its text cannot be made: ValueError: no str \\ud800>")
