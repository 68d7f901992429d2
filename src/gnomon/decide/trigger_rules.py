"""Every trigger rule as a row: when it runs, when it skips, when it can no longer be met.

A rule is judged on the tally of its direct upstream task instances, mapped ones counted one by one. Source:
airflow-surface.md D.4; `all_done_min_one_success` as documented there (it runs although some were skipped), where
Airflow 3.3.2 skips. Early decisions: a rule that cannot be met any more is decided before all upstreams are done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gnomon.model.states import TaskInstanceState as S
from gnomon.model.verdict import Outcome, Verdict


class Tally:
    """How many direct upstream instances are in which final state. Mutable: the engine keeps one a task."""

    __slots__ = ("failed", "removed", "setups", "setups_skipped", "setups_success", "skipped", "success", "total",
                 "upstream_failed")

    def __init__(self, total: int, setups: int = 0) -> None:
        self.total = total
        self.setups = setups
        self.success = self.failed = self.skipped = self.upstream_failed = self.removed = 0
        self.setups_success = self.setups_skipped = 0

    def add(self, state: S | None, count: int, is_setup: bool = False) -> None:
        """Count `count` (1 or -1) more instances in `state`; unfinished states are not counted."""
        field = _FIELDS.get(state) if state is not None else None
        if field is None:
            return
        setattr(self, field, getattr(self, field) + count)
        if is_setup and state is S.SUCCESS:
            self.setups_success += count
        if is_setup and state is S.SKIPPED:
            self.setups_skipped += count

    @property
    def done(self) -> int:
        return self.success + self.failed + self.skipped + self.upstream_failed + self.removed

    @property
    def bad(self) -> int:
        return self.failed + self.upstream_failed

    def all_done(self) -> bool:
        return self.done >= self.total


_FIELDS = {
    S.SUCCESS: "success",
    S.FAILED: "failed",
    S.SKIPPED: "skipped",
    S.UPSTREAM_FAILED: "upstream_failed",
    S.REMOVED: "removed",
}


class Rule(NamedTuple):
    """One trigger rule; the first condition that holds decides, in the order of the fields."""

    upstream_failed: Callable[[Tally], bool]
    skip: Callable[[Tally], bool]
    run: Callable[[Tally], bool]
    wants: str
    """What it waits for, for the sentence that explains a wait."""


def _never(_: Tally) -> bool:
    return False


RULES: dict[str, Rule] = {
    "all_success": Rule(
        lambda t: t.bad > 0, lambda t: t.skipped > 0, lambda t: t.success + t.removed >= t.total, "all upstream tasks to succeed"
    ),
    "all_failed": Rule(
        _never, lambda t: t.success + t.skipped > 0, lambda t: t.bad + t.removed >= t.total, "all upstream tasks to fail"
    ),
    "all_done": Rule(_never, _never, lambda t: t.all_done(), "all upstream tasks to end"),
    "all_done_min_one_success": Rule(
        lambda t: t.all_done() and t.success == 0 and t.skipped < t.total,
        lambda t: t.all_done() and t.total > 0 and t.skipped >= t.total,
        lambda t: t.all_done() and (t.success > 0 or t.total == 0),
        "all upstream tasks to end, at least one with success",
    ),
    "all_done_setup_success": Rule(
        lambda t: t.all_done() and t.setups > 0 and t.setups_success == 0 and t.setups_skipped < t.setups,
        lambda t: t.all_done() and t.setups > 0 and t.setups_skipped >= t.setups,
        lambda t: t.all_done(),
        "all upstream tasks to end, at least one setup with success",
    ),
    "one_success": Rule(
        lambda t: t.all_done() and t.success == 0 and t.total > 0 and t.skipped < t.total,
        lambda t: t.all_done() and t.total > 0 and t.skipped >= t.total,
        lambda t: t.success > 0 or t.total == 0,
        "one upstream task to succeed",
    ),
    "one_failed": Rule(
        _never, lambda t: t.all_done() and t.bad == 0 and t.total > 0, lambda t: t.bad > 0 or t.total == 0, "one upstream task to fail"
    ),
    "one_done": Rule(
        _never,
        lambda t: t.all_done() and t.success + t.failed == 0 and t.total > 0,
        lambda t: t.success + t.failed > 0 or t.total == 0,
        "one upstream task to succeed or fail",
    ),
    "none_failed": Rule(
        lambda t: t.bad > 0, _never, lambda t: t.success + t.skipped + t.removed >= t.total, "all upstream tasks to succeed or be skipped"
    ),
    "none_failed_min_one_success": Rule(
        lambda t: t.bad > 0 or (t.all_done() and t.success == 0 and t.skipped < t.total),
        lambda t: t.total > 0 and t.skipped >= t.total,
        lambda t: t.all_done() and (t.success > 0 or t.total == 0),
        "all upstream tasks to succeed or be skipped, at least one with success",
    ),
    "none_skipped": Rule(_never, lambda t: t.skipped > 0, lambda t: t.all_done(), "all upstream tasks to end, none skipped"),
    "all_skipped": Rule(
        _never, lambda t: t.success + t.bad > 0, lambda t: t.skipped + t.removed >= t.total, "all upstream tasks to be skipped"
    ),
    "always": Rule(_never, _never, lambda _: True, "nothing"),
}

_RUN = Verdict(Outcome.RUN)
_WAIT = Verdict(Outcome.WAIT)


def judge(rule_name: str, tally: Tally) -> Verdict:
    """What the rule says of this tally. The reason names the counts that decided; see `wait_reason` for a wait."""
    rule = RULES[rule_name]
    if rule.upstream_failed(tally):
        return Verdict(Outcome.UPSTREAM_FAILED, f"trigger rule {rule_name} cannot be met: {_counts(tally)}")
    if rule.skip(tally):
        return Verdict(Outcome.SKIP, f"trigger rule {rule_name} skips it: {_counts(tally)}")
    if rule.run(tally):
        return _RUN
    return _WAIT


def wait_reason(rule_name: str, tally: Tally) -> str:
    """The sentence for a rule that still waits."""
    return f"trigger rule {rule_name} waits for {RULES[rule_name].wants}: of {tally.total}, {_counts(tally)}"


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
