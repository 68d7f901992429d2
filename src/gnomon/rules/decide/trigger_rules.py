"""Trigger rules: from the states of the upstream tasks to a verdict and its reason. Source: airflow-surface.md D.4.

A rule is about the direct upstream tasks. Beside it, the scopes of setups (`setup_scopes.py`) make a task wait for others.

`RULES` is the table. A new trigger rule is a row of it, the words of its sentence, and a name in `gnomon.authoring.sdk.arguments.task_rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import Sentence, list_literals, render, render_shared, say
from gnomon.model.states import TaskInstanceState as S


class RuleOutcome(Enum):
    """The decision of a rule about a task instance."""

    RUN = "run"
    WAIT = "wait"
    SKIP = "skip"
    UPSTREAM_FAILED = "upstream_failed"


class Verdict(NamedTuple):
    """The outcome and its reason, a sentence that `explain` prints and the store keeps as text."""

    outcome: RuleOutcome
    reason: Sentence | None = None

    @property
    def text(self) -> str:
        """The reason as it is stored."""
        return "" if self.reason is None else render_shared(self.reason)


_SKIPPED_BY = list_literals("skipped_by_branch")[0]


def format_skip_reason(name: str) -> str:
    """The reason of a task that the branch task instance `name` skipped."""
    return render(say("skipped_by_branch", name=name))


def parse_skip_reason(reason: str | None) -> tuple[str, int] | None:
    """The task id and the map index of the branch in a reason of `format_skip_reason`; None for any other reason."""
    if reason is None or not reason.startswith(_SKIPPED_BY):
        return None
    task_id, _, index = reason[len(_SKIPPED_BY) :].rstrip("]").partition("[")
    return task_id, int(index) if index else UNMAPPED


_LEFT_OUT = list_literals("branch_left_out")[0]


def format_left_out(task_ids: Iterable[str]) -> str:
    """The reason of a branch that succeeded and skips tasks which are not expanded yet."""
    return render(say("branch_left_out", names=", ".join(task_ids)))


def parse_left_out(reason: str | None) -> list[str]:
    """The task ids in a reason of `format_left_out`; [] for any other reason."""
    if reason is None or not reason.startswith(_LEFT_OUT):
        return []
    return reason[len(_LEFT_OUT) :].split(", ")


def is_skip_valid(skipper_state: S | None) -> bool:
    """True when the decision of a branch in this state is valid."""
    return skipper_state is S.SUCCESS


_SUCCESS = S.SUCCESS


class Tally:
    """The number of direct upstream instances in each final state. Mutable: the engine keeps one for each task of a run.

    Every condition of a rule is "a count is more than 0" or "all instances are done". So a verdict WAIT can change only when
    `add` returns True, or when `total` decreases.
    """

    __slots__ = (
        "failed",
        "removed",
        "scope",
        "setups",
        "setups_skipped",
        "setups_success",
        "skipped",
        "success",
        "total",
        "upstream_failed",
    )

    def __init__(self, total: int, setups: int = 0) -> None:
        self.total = total
        self.setups = setups
        self.success = self.failed = self.skipped = self.upstream_failed = self.removed = 0
        self.setups_success = self.setups_skipped = 0
        self.scope: ScopeTally | None = None
        """The tasks that are no direct parents and count because of the scopes of setups; None without any."""

    def add(self, state: S | None, count: int, is_setup: bool = False) -> bool:
        """Count `count` (1 or -1) more instances in `state`; unfinished states are not counted.

        Returns True when a verdict WAIT of a rule over this tally may have changed.
        """
        if state is _SUCCESS:  # most of all
            value = self.success = self.success + count
            if is_setup:
                self.setups_success += count
        else:
            field = _FIELDS.get(state) if state is not None else None
            if field is None:
                return False
            value = getattr(self, field) + count
            setattr(self, field, value)
            if is_setup and state is S.SKIPPED:
                self.setups_skipped += count
        return count > 0 and (value == count or self.done >= self.total)

    def merge(self, other: Tally) -> Tally:
        """A new tally with the counts of both."""
        merged = Tally(0)
        merged.include(self)
        merged.include(other)
        return merged

    def include(self, other: Tally) -> None:
        """Add the counts of another tally to these."""
        for field in (
            "total",
            "setups",
            "success",
            "failed",
            "skipped",
            "upstream_failed",
            "removed",
            "setups_success",
            "setups_skipped",
        ):
            setattr(self, field, getattr(self, field) + getattr(other, field))
        if other.scope is not None:
            self.require_scope(other.scope.names, is_of_teardown=other.scope.is_of_teardown).include(other.scope)

    def require_scope(self, names: Sequence[str], *, is_of_teardown: bool) -> ScopeTally:
        """The tally of the scope, which is made if there is none."""
        if self.scope is None:
            self.scope = ScopeTally(names, is_of_teardown=is_of_teardown)
        return self.scope

    @property
    def done(self) -> int:
        return self.success + self.failed + self.skipped + self.upstream_failed + self.removed

    @property
    def is_untouched(self) -> bool:
        """True as long as no upstream instance has ended."""
        return self.done == 0 and self.total > 0

    @property
    def bad(self) -> int:
        return self.failed + self.upstream_failed

    def all_done(self) -> bool:
        return self.done >= self.total


class ScopeTally(Tally):
    """The instances that a task waits for because of the scopes of setups: its indirect setups, or what is in the scope of a teardown."""

    __slots__ = ("is_of_teardown", "names")

    def __init__(self, names: Sequence[str], *, is_of_teardown: bool) -> None:
        super().__init__(0)
        self.names = names
        """The ids of the tasks that are counted."""
        self.is_of_teardown = is_of_teardown
        """A teardown waits for the end of these tasks; any other task waits for their success, and takes their failure or skip."""


_FIELDS = {
    S.SUCCESS: "success",
    S.FAILED: "failed",
    S.SKIPPED: "skipped",
    S.UPSTREAM_FAILED: "upstream_failed",
    S.REMOVED: "removed",
}


class RuleConditions(NamedTuple):
    """One trigger rule; the first condition that holds decides, in the order of the fields."""

    upstream_failed: Callable[[Tally], bool]
    skip: Callable[[Tally], bool]
    run: Callable[[Tally], bool]
    requirement: Sentence
    """The object of the sentence "trigger rule X waits for ..."."""


def _never(_: Tally) -> bool:
    return False


RULES: dict[str, RuleConditions] = {
    "all_success": RuleConditions(
        lambda t: t.bad > 0,
        lambda t: t.skipped > 0,
        lambda t: t.success + t.removed >= t.total,
        say("all_upstream_to_succeed"),
    ),
    "all_failed": RuleConditions(
        _never,
        lambda t: t.success + t.skipped > 0,
        lambda t: t.bad + t.removed >= t.total,
        say("all_upstream_to_fail"),
    ),
    "all_done": RuleConditions(_never, _never, lambda t: t.all_done(), say("all_upstream_to_end")),
    "all_done_min_one_success": RuleConditions(
        lambda t: t.all_done() and t.success == 0 and t.skipped < t.total,
        lambda t: t.all_done() and t.total > 0 and t.skipped >= t.total,
        lambda t: t.all_done() and (t.success > 0 or t.total == 0),
        say("all_upstream_to_end_one_with_success"),
    ),
    "all_done_setup_success": RuleConditions(
        lambda t: t.all_done() and t.setups > 0 and t.setups_success == 0 and t.setups_skipped < t.setups,
        lambda t: t.all_done() and t.setups > 0 and t.setups_skipped >= t.setups,
        lambda t: t.all_done(),
        say("all_upstream_to_end_one_setup_with_success"),
    ),
    "one_success": RuleConditions(
        lambda t: t.all_done() and t.success == 0 and t.total > 0 and t.skipped < t.total,
        lambda t: t.all_done() and t.total > 0 and t.skipped >= t.total,
        lambda t: t.success > 0 or t.total == 0,
        say("one_upstream_to_succeed"),
    ),
    "one_failed": RuleConditions(
        _never,
        lambda t: t.all_done() and t.bad == 0 and t.total > 0,
        lambda t: t.bad > 0 or t.total == 0,
        say("one_upstream_to_fail"),
    ),
    "one_done": RuleConditions(
        _never,
        lambda t: t.all_done() and t.success + t.failed == 0 and t.total > 0,
        lambda t: t.success + t.failed > 0 or t.total == 0,
        say("one_upstream_to_succeed_or_fail"),
    ),
    "none_failed": RuleConditions(
        lambda t: t.bad > 0,
        _never,
        lambda t: t.success + t.skipped + t.removed >= t.total,
        say("all_upstream_to_succeed_or_be_skipped"),
    ),
    "none_failed_min_one_success": RuleConditions(
        lambda t: t.bad > 0 or (t.all_done() and t.success == 0 and t.skipped < t.total),
        lambda t: t.total > 0 and t.skipped >= t.total,
        lambda t: t.all_done() and (t.success > 0 or t.total == 0),
        say("all_upstream_to_succeed_or_be_skipped_one_with_success"),
    ),
    "none_skipped": RuleConditions(
        _never, lambda t: t.skipped > 0, lambda t: t.all_done(), say("all_upstream_to_end_none_skipped")
    ),
    "all_skipped": RuleConditions(
        _never,
        lambda t: t.success + t.bad > 0,
        lambda t: t.skipped + t.removed >= t.total,
        say("all_upstream_to_be_skipped"),
    ),
    "always": RuleConditions(_never, _never, lambda _: True, say("nothing")),
}


def waits_without_ends(rule_name: str) -> bool:
    """True if a task with this rule and with upstream instances waits as long as none of them has ended."""
    return evaluate_trigger_rule(rule_name, Tally(1)).outcome is RuleOutcome.WAIT


_RUN = Verdict(RuleOutcome.RUN)
_WAIT = Verdict(RuleOutcome.WAIT)


def evaluate_trigger_rule(rule_name: str, tally: Tally) -> Verdict:
    """The verdict of the rule, and of the scopes of setups; its reason names the counts. A verdict WAIT has no reason: `describe_rule_wait` writes it."""
    scope = tally.scope
    if scope is None and tally.success == tally.total and rule_name in _RUNS_AFTER_SUCCESS:
        return _RUN
    by_scope = _RUN if scope is None else _evaluate_scope(scope)
    if scope is not None and by_scope.outcome is not RuleOutcome.RUN and not scope.is_of_teardown:
        return by_scope  # also before the rule skips or fails the task: what becomes of it does not depend on who ends first
    rule = RULES[rule_name]
    if rule.upstream_failed(tally):
        return Verdict(
            RuleOutcome.UPSTREAM_FAILED,
            say("trigger_rule_cannot_be_met", rule_name=rule_name, counts=_counts(tally)),
        )
    if rule.skip(tally):
        return Verdict(RuleOutcome.SKIP, say("trigger_rule_skips", rule_name=rule_name, counts=_counts(tally)))
    return by_scope if rule.run(tally) else _WAIT


def _evaluate_scope(scope: ScopeTally) -> Verdict:
    if scope.is_of_teardown:
        return _RUN if scope.all_done() else _WAIT
    if scope.bad > 0 or scope.skipped > 0:
        return Verdict(
            RuleOutcome.UPSTREAM_FAILED if scope.bad > 0 else RuleOutcome.SKIP,
            say(
                "setups_did_not_succeed",
                names=", ".join(scope.names),
                count=len(scope.names),
                counts=_counts(scope),
            ),
        )
    return _RUN if scope.success + scope.removed >= scope.total else _WAIT


def describe_rule_wait(rule_name: str, tally: Tally) -> Sentence:
    """The reason of a verdict WAIT."""
    by_scope = (
        None
        if tally.scope is None or _evaluate_scope(tally.scope).outcome is RuleOutcome.RUN
        else describe_scope_wait(tally.scope)
    )
    if by_scope is None:
        return _describe_rule_wait(rule_name, tally)
    rule = RULES[rule_name]
    if rule.upstream_failed(tally) or rule.skip(tally) or rule.run(tally):
        return by_scope
    return say("rule_and_setups", rule=_describe_rule_wait(rule_name, tally), setups=by_scope)


def describe_scope_wait(scope: ScopeTally) -> Sentence:
    """What a task waits for because of the scopes of setups."""
    if scope.is_of_teardown:
        return say("waits_for_tasks_of_setup", total=scope.total, counts=_counts(scope))
    return say(
        "waits_for_setups",
        names=", ".join(scope.names),
        count=len(scope.names),
        total=scope.total,
        counts=_counts(scope),
    )


def _describe_rule_wait(rule_name: str, tally: Tally) -> Sentence:
    requirement = RULES[rule_name].requirement
    return say(
        "trigger_rule_waits", rule_name=rule_name, requirement=requirement, total=tally.total, counts=_counts(tally)
    )


def describe_rule_met(rule_name: str, tally: Tally) -> Sentence:
    """The sentence for a rule that lets its task run."""
    if not tally.total:
        return say("trigger_rule_is_met_alone", rule_name=rule_name)
    return say("trigger_rule_is_met", rule_name=rule_name, total=tally.total, counts=_counts(tally))


def _counts(tally: Tally) -> str:
    named = (
        (tally.success, "succeeded"),
        (tally.failed, "failed"),
        (tally.upstream_failed, "upstream_failed"),
        (tally.skipped, "skipped"),
        (tally.removed, "removed"),
        (tally.total - tally.done, "not done"),
    )
    return ", ".join(f"{count} {word}" for count, word in named if count) or "no upstream"


def _runs_after_success(rule_name: str) -> bool:
    """True if the rule lets a task run when all upstream instances have succeeded, however many."""
    for total in range(3):
        tally = Tally(total)
        tally.success = total
        if evaluate_trigger_rule(rule_name, tally).outcome is not RuleOutcome.RUN:
            return False
    return True


_RUNS_AFTER_SUCCESS: frozenset[str] = frozenset()
_RUNS_AFTER_SUCCESS = frozenset(filter(_runs_after_success, RULES))
"""Most tasks have one of these rules, and most upstream instances succeed."""
