"""A task instance changes its state, and its queue state, in one place each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import gnomon

PACKAGE = Path(gnomon.__file__).parent
ENGINE = PACKAGE / "rules" / "engine"
TRANSITION = "rules/engine/lifecycle/state_change.py"
QUEUE_MOVES = "rules/engine/state/queue_moves.py"
OTHER_STATES = {"wait.state", "run.record.state", "pending.record.state", "deadline.state"}
"""Targets of assignments that are the state of a RunWait, a DagRun, a callback or a deadline, not of a task instance."""


def _calls(name: str) -> dict[str, int]:
    """Files of the package that call the function, or use it in any other way than by its import, with the count."""
    counts: dict[str, int] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text()
        if name in text:
            count = sum(_uses(node, name) for node in ast.walk(ast.parse(text)))
            if count:
                counts[file.relative_to(PACKAGE).as_posix()] = count
    return counts


def _uses(node: ast.AST, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)


def _assignments(attribute: str) -> Iterator[tuple[str, str]]:
    """File and target of every assignment to an attribute of that name in the engine."""
    for file in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Store):
                yield file.relative_to(PACKAGE).as_posix(), ast.unparse(node)


def test_transition_is_the_only_caller_of_next_state() -> None:
    assert _calls("next_state") == {TRANSITION: 1}


def test_the_state_of_a_task_instance_is_assigned_by_two_functions_alone() -> None:
    found = {(file, target) for file, target in _assignments("state") if target not in OTHER_STATES}
    assert found == {
        (TRANSITION, "subject.state"),
        ("rules/engine/state/task_instance.py", "self.state"),  # a new instance, and `restore` from its row
    }


def test_move_in_queue_is_the_only_caller_of_next_queue_state() -> None:
    assert _calls("next_queue_state") == {QUEUE_MOVES: 1}


def test_the_queue_state_is_assigned_by_move_in_queue_alone() -> None:
    assert set(_assignments("queue_state")) == {
        (QUEUE_MOVES, "ti.queue_state"),
        ("rules/engine/state/task_instance.py", "self.queue_state"),
    }


def test_only_move_in_queue_adds_instances_to_queues() -> None:
    """`enqueue` of a pool and of a limit, and the instances that a DAG holds back."""
    assert _engine_files_with("enqueue") == {QUEUE_MOVES}
    writers = {file for file, _ in _held_instances_changes()}
    assert writers == {QUEUE_MOVES}


def _engine_files_with(method: str) -> set[str]:
    return {
        file.relative_to(PACKAGE).as_posix()
        for file in ENGINE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method
    }


def _held_instances_changes() -> Iterator[tuple[str, str]]:
    for file in ENGINE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if (
                isinstance(node, ast.Subscript)
                and not isinstance(node.ctx, ast.Load)
                and "held_instances" in ast.unparse(node.value)
            ):
                yield file.relative_to(PACKAGE).as_posix(), ast.unparse(node)
