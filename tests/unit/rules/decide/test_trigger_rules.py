"""Every trigger rule against a brute-force reading of the dialect's table, for up to three upstream instances."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from gnomon.authoring.sdk.arguments.task_rules import TriggerRule
from gnomon.model.sentences import render
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.trigger_rules import (
    RULES,
    RuleOutcome,
    Tally,
    _never,
    describe_rule_wait,
    evaluate_trigger_rule,
)

FINAL = (S.SUCCESS, S.FAILED, S.SKIPPED, S.UPSTREAM_FAILED, S.REMOVED)
STATES = (*FINAL, None, S.RUNNING)
RUN, WAIT, SKIP, BAD = RuleOutcome.RUN, RuleOutcome.WAIT, RuleOutcome.SKIP, RuleOutcome.UPSTREAM_FAILED


def combinations() -> list[tuple[S | None, ...]]:
    return [states for n in range(4) for states in itertools.product(STATES, repeat=n)]


def reading(rule: str, states: tuple[S | None, ...]) -> RuleOutcome:
    """The table, read from the upstream states themselves: no tallies, one sentence a rule."""
    if not states:
        return RUN
    failed = [s for s in states if s in (S.FAILED, S.UPSTREAM_FAILED)]
    ended = all(s in FINAL for s in states)
    some = set(states)
    match rule:
        case "all_success":
            if failed:
                return BAD
            if S.SKIPPED in some:
                return SKIP
            return RUN if some <= {S.SUCCESS, S.REMOVED} else WAIT
        case "all_failed":
            if some & {S.SUCCESS, S.SKIPPED}:
                return SKIP
            return RUN if some <= {S.FAILED, S.UPSTREAM_FAILED, S.REMOVED} else WAIT
        case "all_done":
            return RUN if ended else WAIT
        case "all_done_min_one_success":
            if not ended:
                return WAIT
            if S.SUCCESS in some:
                return RUN
            return SKIP if some == {S.SKIPPED} else BAD
        case "all_done_setup_success":
            return RUN if ended else WAIT
        case "one_success":
            if S.SUCCESS in some:
                return RUN
            if not ended:
                return WAIT
            return SKIP if some == {S.SKIPPED} else BAD
        case "one_failed":
            return RUN if failed else SKIP if ended else WAIT
        case "one_done":
            return RUN if some & {S.SUCCESS, S.FAILED} else SKIP if ended else WAIT
        case "none_failed":
            return BAD if failed else RUN if ended else WAIT
        case "none_failed_min_one_success":
            if failed:
                return BAD
            if some == {S.SKIPPED}:
                return SKIP
            if not ended:
                return WAIT
            return RUN if S.SUCCESS in some else BAD
        case "none_skipped":
            return SKIP if S.SKIPPED in some else RUN if ended else WAIT
        case "all_skipped":
            if failed or S.SUCCESS in some:
                return SKIP
            return RUN if some <= {S.SKIPPED, S.REMOVED} else WAIT
        case "always":
            return RUN
    raise AssertionError(rule)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_table_says_what_the_reading_says(rule: str) -> None:
    for states in combinations():
        tally = Tally(len(states))
        for state in states:
            tally.add(state, 1)
        assert evaluate_trigger_rule(rule, tally).outcome is reading(rule, states), f"{rule} of {states}"


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_decision_once_made_does_not_depend_on_the_order_of_ends(rule: str) -> None:
    """Early decisions are never contradicted by what ends later, unless the rule itself starts early."""
    for states in itertools.product(FINAL, repeat=3):
        seen: list[RuleOutcome] = []
        tally = Tally(3)
        for state in states:
            tally.add(state, 1)
            seen.append(evaluate_trigger_rule(rule, tally).outcome)
        decided = [outcome for outcome in seen if outcome is not WAIT]
        assert decided, f"{rule} never decides on {states}"
        if rule not in ("one_success", "one_failed", "one_done", "always", "all_success"):
            assert len(set(decided)) == 1, f"{rule} of {states}: {seen}"


def test_taking_a_state_back_undoes_it() -> None:
    tally = Tally(2, setups=1)
    tally.add(S.SUCCESS, 1, is_setup=True)
    tally.add(S.SUCCESS, -1, is_setup=True)
    assert (tally.done, tally.setups_success) == (0, 0)


def test_teardowns_follow_their_setups() -> None:
    def outcome(setup: S, work: S) -> RuleOutcome:
        tally = Tally(2, setups=1)
        tally.add(setup, 1, is_setup=True)
        tally.add(work, 1)
        return evaluate_trigger_rule("all_done_setup_success", tally).outcome

    assert outcome(S.SUCCESS, S.FAILED) is RUN
    assert outcome(S.FAILED, S.UPSTREAM_FAILED) is BAD
    assert outcome(S.SKIPPED, S.SKIPPED) is SKIP


def test_every_wait_has_a_sentence_with_counts() -> None:
    tally = Tally(3)
    tally.add(S.SUCCESS, 1)
    for rule in RULES:
        assert f"trigger rule {rule} waits for" in render(describe_rule_wait(rule, tally))
        assert "1 succeeded, 2 not done" in render(describe_rule_wait(rule, tally))


def test_each_name_that_authors_may_write_has_a_rule_and_each_rule_a_name() -> None:
    assert {rule.value for rule in TriggerRule} == set(RULES)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_waiting_verdict_changes_only_when_the_tally_says_so(rule: str) -> None:
    """The engine evaluates a rule again only when `Tally.add` returns True."""
    states = (S.SUCCESS, S.FAILED, S.SKIPPED, S.UPSTREAM_FAILED, S.REMOVED)
    for ends in itertools.product(itertools.product(states, (False, True)), repeat=3):
        for total in (3, 4):
            tally = Tally(total, sum(is_setup for _, is_setup in ends))
            for state, is_setup in ends:
                waited = evaluate_trigger_rule(rule, tally).outcome is WAIT
                if not tally.add(state, 1, is_setup) and waited:
                    assert evaluate_trigger_rule(rule, tally).outcome is WAIT, ends
            waited = evaluate_trigger_rule(rule, tally).outcome is WAIT
            assert not tally.add(ends[0][0], -1, ends[0][1])
            assert not waited or evaluate_trigger_rule(rule, tally).outcome is WAIT, ends


@pytest.mark.parametrize("rule", sorted(RULES))
@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        (S.FAILED, RuleOutcome.UPSTREAM_FAILED),
        (S.UPSTREAM_FAILED, RuleOutcome.UPSTREAM_FAILED),
        (S.SKIPPED, RuleOutcome.SKIP),
        (None, RuleOutcome.WAIT),
        (S.SUCCESS, None),
    ],
)
def test_a_setup_decides_before_the_trigger_rule_and_its_success_leaves_it_to_the_rule(
    rule: str, state: S | None, outcome: RuleOutcome | None
) -> None:
    for parent in (S.SUCCESS, S.FAILED, S.SKIPPED, None):
        tally = Tally(1)
        tally.add(parent, 1)
        by_rule = evaluate_trigger_rule(rule, tally).outcome
        scope = tally.require_scope(["s"], is_of_teardown=False)
        scope.total = 1
        scope.add(state, 1)
        assert evaluate_trigger_rule(rule, tally).outcome is (by_rule if outcome is None else outcome)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_scope_of_a_teardown_only_holds_it_back(rule: str) -> None:
    for parent in (S.SUCCESS, S.FAILED, S.SKIPPED, None):
        tally = Tally(1)
        tally.add(parent, 1)
        by_rule = evaluate_trigger_rule(rule, tally).outcome
        scope = tally.require_scope(["a", "b"], is_of_teardown=True)
        scope.total = 2
        scope.add(S.FAILED, 1)
        assert evaluate_trigger_rule(rule, tally).outcome is (
            RuleOutcome.WAIT if by_rule is RuleOutcome.RUN else by_rule
        )
        scope.add(S.SUCCESS, 1)
        assert evaluate_trigger_rule(rule, tally).outcome is by_rule


def test_the_page_for_users_has_each_rule_and_which_of_its_outcomes_it_can_have() -> None:
    page = Path(__file__).parents[4] / "docs/reference/trigger-rules.md"
    rows = [
        [cell.strip() for cell in line.split("|")] for line in page.read_text().splitlines() if line.startswith("| `")
    ]
    told = {cells[1].split("`")[1]: (bool(cells[3]), bool(cells[4])) for cells in rows}
    assert told == {name: (rule.skip is not _never, rule.upstream_failed is not _never) for name, rule in RULES.items()}
