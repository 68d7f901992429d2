"""Each reason that rules and the scheduler give is a sentence of the catalogue: its words stand there and not where it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import gnomon

pytestmark = pytest.mark.pure
PACKAGE = Path(gnomon.__file__).parent
WATCHED = tuple(
    PACKAGE / folder
    for folder in (
        "rules",
        "services/scheduler",
        "services/executors",
        "services/triggerer",
        "services/worker",
        "author_code/processes",
        "storage/store/ownership",
        "queries/taskapi",
    )
)
"""Where the reasons of runs, task instances, attempts and deferrals are given."""
NAMES = {"reason", "note", "error", "fault", "why", "refusal", "stop_reason", "loss", "excess", "hold_reason"}
"""Attributes, variables and arguments by name that hold a reason."""
TAKERS = {
    "CancelOrder",
    "RunStop",
    "SlotExclusion",
    "Verdict",
    "build_stopped_change",
    "end_run",
    "fail_result",
    "fail_task_instance",
    "fail_try",
    "finish_task_instance",
    "release_attempt",
    "remove_instance",
    "stop_task_instance",
    "stop_tasks",
}
"""What takes a reason also by position."""
WORDS_MAX = 2
"""A constant with more words is a sentence; one with fewer is a name, such as `cleared`."""
EXCEPTIONS = {
    "attempt_supervisor.py 'no heartbeat": "a line of the log",
    "attempt_supervisor.py 'the attempt has ended": "an answer to a process whose attempt has ended already",
    "conditions.py f'alias": "the name of an asset",
    "conditions.py f'asset": "the name of an asset",
    "cron_words.py": "a schedule in words, as the library writes it",
    "deferral_results.py": "a value in words, inside of a sentence",
    "loop.py f'worker": "what a worker says to a scheduler that has lost the group",
    "queries.py": "parts of an error that authors get, which is raised",
    "run_callbacks.py reason or f'marked": "the `reason` in the context of a callback, for code of authors",
    "service.py 'the worker process has ended": "a line of the log",
    "task_api_messages.py": "an error that authors get, which is raised",
    "temporal_mappers.py": "an error that authors get, which is raised",
    "zygote_protocol.py": "an error that ends a process",
}
"""How the faults begin that are none, each with the reason. The list may only become shorter."""


def _list_trees() -> Iterator[tuple[Path, ast.Module]]:
    for folder in WATCHED:
        for file in sorted(folder.rglob("*.py")):
            yield file, ast.parse(file.read_text())


def _is_sentence(value: ast.expr | None) -> bool:
    """Whether the expression makes a text of words here."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, str) and len(value.value.split()) > WORDS_MAX
    if isinstance(value, ast.IfExp):
        return _is_sentence(value.body) or _is_sentence(value.orelse)
    if isinstance(value, ast.BoolOp):
        return any(map(_is_sentence, value.values))
    if isinstance(value, ast.BinOp):
        return _is_sentence(value.left) or _is_sentence(value.right)
    if isinstance(value, ast.Call):
        called = value.func
        return isinstance(called, ast.Name) and called.id == "quote" and any(map(_is_sentence, value.args))
    return isinstance(value, ast.JoinedStr) and any(
        isinstance(part, ast.Constant) and str(part.value).strip(" :.,;()") for part in value.values
    )


def _name_of(target: ast.expr) -> str:
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def _list_given(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions that are given as reasons."""
    for node in ast.walk(tree):
        if (isinstance(node, ast.Assign) and any(_name_of(target) in NAMES for target in node.targets)) or (
            isinstance(node, ast.AnnAssign) and _name_of(node.target) in NAMES and node.value is not None
        ):
            yield node.value
        elif isinstance(node, ast.Call) and not _is_log(node):
            yield from (keyword.value for keyword in node.keywords if keyword.arg in NAMES)
            yield from node.args if _name_of(node.func) in TAKERS else ()
        elif isinstance(node, ast.FunctionDef) and node.name.startswith(("describe_", "_describe_")):
            yield from _list_returned(node)


def _list_returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    return (node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None)


def _is_log(call: ast.Call) -> bool:
    called = call.func
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "_log"


def list_faults(trees: list[tuple[Path, ast.Module]]) -> list[str]:
    """The file and the expression of each reason whose words stand where it is given."""
    return [
        f"{file.name} {ast.unparse(value)[:80]}"
        for file, tree in trees
        for value in _list_given(tree)
        if _is_sentence(value)
    ]


def test_no_reason_has_its_words_where_it_is_given() -> None:
    found = list_faults(list(_list_trees()))
    faults = [fault for fault in found if not fault.startswith(tuple(EXCEPTIONS))]
    assert faults == [], "write render(say(CODE, ...)), with the words of CODE in the catalogue"
    assert [begin for begin in EXCEPTIONS if not any(fault.startswith(begin) for fault in found)] == []


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ('ti.reason = f"lost: worker {worker}"', True),
        ('ti.reason = "the task is no longer in the DAG"', True),
        ('reason = f"skipped by {name}"', True),
        ('f(reason=name or "it was not done")', True),
        ('Verdict(RuleOutcome.SKIP, f"trigger rule {name}")', True),
        ('Verdict(RuleOutcome.SKIP, quote(f"trigger rule {name}"))', True),
        ('fail_try(context, ti, "it has no trigger", retryable=False)', True),
        ('CancelOrder(worker, attempt, f"deleted by {by}")', True),
        ('def describe_wait():\n    return f"waits for {name}"', True),
        ('ti.reason = "cleared"', False),
        ('ti.reason = f"{loss}: {number}"', False),
        ('Verdict(RuleOutcome.SKIP, say("trigger_rule_skips", rule_name=name))', False),
        ('ti.reason = render(say("lost", worker=worker))', False),
        ('_log.error("lost", error=f"of {worker} and others")', False),
    ],
)
def test_words_are_found(text: str, is_refused: bool) -> None:
    assert bool(list_faults([(Path("a.py"), ast.parse(text))])) is is_refused
