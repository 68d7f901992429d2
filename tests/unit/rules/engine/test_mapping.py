"""Mapped tasks: when and to how many instances they are expanded, and the rules for each map index."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.unit.rules.engine.told import tell_run, tell_task

from gnomon.authoring.sdk.members.map_position import find_element_indexes
from gnomon.model.attempts import ElementSource
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.mapping import ConcatLength, Expansion, LiteralLength, XComLength, ZipLength
from gnomon.model.records import PoolRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.lifecycle import task_lifecycle
from gnomon.rules.engine.state.engine_state import EngineLimits

from .mapped_dags import GROUP, IN_GROUP, LENGTH_FROM_U, VALUE, clear, literal, over
from .world import World, dag_record


def test_a_task_is_expanded_when_the_length_is_known_and_its_unexpanded_row_is_gone() -> None:
    world = World(dag_record(LENGTH_FROM_U))
    run = world.start()
    assert world.indices_of(run, "d") == {-1: None}
    world.end("u", return_length=3)
    assert world.states_of(run, "d") == {0: "queued", 1: "queued", 2: "queued"}
    assert [(a.map_index, a.expanded_count, a.factor_lengths) for a in world.live("d")] == [
        (i, 3, ((3,),)) for i in range(3)
    ]
    world.end_all("d")
    world.end("j")
    assert world.state(run) == "success"


def test_an_attempt_says_which_elements_it_is_mapped_over_and_who_returned_them() -> None:
    world = World(dag_record(LENGTH_FROM_U))
    run = world.start()
    world.end("u", return_length=2)
    (first, second) = world.live("d")
    assert [attempt.elements for attempt in (first, second)] == [
        (ElementSource(task_id="u", number=i, seq=1),) for i in range(2)
    ]
    world.end_all("d")
    clear(world, run.run_pk, "u", "d[0]", "d[1]")
    world.end("u", return_length=2)
    assert [attempt.elements for attempt in world.live("d")] == [
        (ElementSource(task_id="u", number=i, seq=2),) for i in range(2)
    ]


def test_the_elements_of_products_zips_and_groups_have_the_places_that_the_attempt_reads() -> None:
    zipped = Expansion(
        factors=(
            ZipLength(
                parts=(
                    XComLength(task_id="u"),
                    ConcatLength(parts=(XComLength(task_id="v"),)),
                    ZipLength(parts=(XComLength(task_id="v"),)),
                )
            ),
            XComLength(task_id="v"),
            ConcatLength(parts=(XComLength(task_id="u"), XComLength(task_id="v"))),
            XComLength(task_id="m"),
        )
    )
    tasks = [
        TaskSpec(task_id="u"),
        TaskSpec(task_id="v"),
        TaskSpec(task_id="m", expansion=literal(2)),
        TaskSpec(task_id="d", upstream=("u", "v", "m"), group="g", expansion=zipped),
    ]
    world = World(dag_record(tasks, groups={"g": None}, group_expansions={"g": over("u")}))
    world.start()
    for attempt in world.live("m"):
        world.step(world.result(attempt, xcoms=VALUE, return_length=1))
    world.end("u", return_length=3)
    world.end("v", return_length=2)
    attempts = world.live("d")
    assert attempts
    for attempt in attempts:
        lengths = attempt.factor_lengths
        (group,), (zip_number, v_number, _, _) = (
            find_element_indexes(level, attempt.map_index, lengths) for level in range(2)
        )
        expected = [("u", group), ("u", zip_number), ("v", zip_number), ("v", v_number)]
        assert [(element.task_id, element.number) for element in attempt.elements] == list(dict.fromkeys(expected))


def test_an_unmapped_task_is_sent_without_lengths() -> None:
    world = World(dag_record(LENGTH_FROM_U))
    world.start()
    (attempt,) = world.live("u")
    assert attempt.expanded_count is None and attempt.factor_lengths == ()


def test_lengths_in_the_file_are_expanded_at_the_start_of_the_run_and_multiply() -> None:
    world = World(dag_record([TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",), expansion=literal(2, 3))]))
    run = world.start()
    assert world.indices_of(run, "d") == dict.fromkeys(range(6))
    world.end("u", "failed")
    assert set(world.states_of(run, "d").values()) == {"upstream_failed"} and len(world.states_of(run, "d")) == 6


@pytest.mark.parametrize(
    ("factor", "count"),
    [
        (ZipLength(parts=(XComLength(task_id="u"), LiteralLength(length=5))), 3),
        (ZipLength(parts=(XComLength(task_id="u"), LiteralLength(length=5)), has_fill_value=True), 5),
        (ConcatLength(parts=(XComLength(task_id="u"), LiteralLength(length=5))), 8),
    ],
)
def test_zip_takes_the_shortest_or_with_a_fill_value_the_longest_and_concat_the_sum(factor: object, count: int) -> None:
    tasks = [TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",), expansion=Expansion(factors=(factor,)))]  # type: ignore[arg-type]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("u", return_length=3)
    assert len(world.indices_of(run, "d")) == count


def test_a_length_of_zero_skips_the_task_and_all_success_after_it() -> None:
    world = World(dag_record(LENGTH_FROM_U))
    run = world.start()
    world.end("u", return_length=0)
    assert world.states(run) == {"u": "success", "d": "skipped", "j": "skipped"}
    assert world.rows[world.key(run, "d")].reason == "there is nothing to map over: u gave no elements"


@pytest.mark.parametrize(("outcome", "state"), [("failed", "upstream_failed"), ("skipped", "skipped")])
@pytest.mark.parametrize("rule", ["all_success", "all_done", "always", "one_failed"])
def test_a_failed_or_skipped_source_decides_whatever_the_trigger_rule_says(outcome: str, state: str, rule: str) -> None:
    tasks = [TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",), expansion=over("u"), trigger_rule=rule)]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("u", outcome)
    assert world.states_of(run, "d") == {-1: state}


def test_a_task_mapped_over_a_mapped_task_has_an_instance_for_each_value_that_was_returned() -> None:
    tasks = [
        TaskSpec(task_id="u", expansion=literal(4)),
        TaskSpec(task_id="d", upstream=("u",), expansion=over("u"), trigger_rule="all_done"),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    first, second, third, fourth = world.live("u")
    world.step(world.result(first, xcoms=VALUE), world.result(second, xcoms=VALUE))
    assert world.indices_of(run, "d") == {-1: None}
    assert tell_task(world.engine_state, run.run_pk, "d", -1, world.now)[0].startswith("trigger rule all_done waits")
    world.step(world.result(third), world.result(fourth, "failed"))
    assert world.indices_of(run, "d") == {0: "queued", 1: "queued"}


def test_a_source_that_was_marked_without_a_value_makes_the_task_upstream_failed_and_says_what_to_do() -> None:
    world = World(dag_record(LENGTH_FROM_U))
    run = world.start()
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "u"),), "success", "me"))
    assert world.states_of(run, "d") == {-1: "upstream_failed"}
    assert "clear u, so that it returns a list or a dict" in (world.rows[world.key(run, "d")].reason or "")


def test_a_length_over_the_limit_fails_the_task_with_the_length_the_limit_and_the_remedy() -> None:
    world = World(dag_record(LENGTH_FROM_U), limits=EngineLimits(max_map_length=5))
    run = world.start()
    world.end("u", return_length=6)
    row = world.rows[world.key(run, "d")]
    assert str(row.state) == "failed" and world.states(run)["j"] == "upstream_failed"
    assert row.reason == (
        "task d is mapped over the return value of u, which has 6 elements; [core] max_map_length allows 5: "
        "return fewer, or raise the option and clear u"
    )


def test_the_limit_does_not_count_the_instances_of_a_mapped_source() -> None:
    tasks = [TaskSpec(task_id="u", expansion=literal(4)), TaskSpec(task_id="d", upstream=("u",), expansion=over("u"))]
    world = World(dag_record(tasks), limits=EngineLimits(max_map_length=2))
    run = world.start()
    world.end_all("u", xcoms=VALUE)
    assert len(world.indices_of(run, "d")) == 4


def test_fail_fast_stops_the_run_when_an_expansion_fails() -> None:
    tasks = [*LENGTH_FROM_U, TaskSpec(task_id="x")]
    world = World(dag_record(tasks, fail_fast=True), limits=EngineLimits(max_map_length=5))
    run = world.start()
    world.end("u", return_length=6)
    assert world.states(run)["x"] == "failed" and world.state(run) == "failed"


def test_within_a_mapped_group_an_instance_waits_for_its_own_place_alone() -> None:
    world = World(dag_record(IN_GROUP, **GROUP))
    run = world.start()
    world.end("u", return_length=3)
    first, second, third = world.live("a")
    world.step(world.result(second))
    assert world.indices_of(run, "b") == {0: None, 1: "queued", 2: None}
    assert "of 1, 1 not done; open: a[2] (queued)" in tell_task(world.engine_state, run.run_pk, "b", 2, world.now)[0]
    world.step(world.result(first, "failed"))
    assert world.indices_of(run, "b") == {0: "upstream_failed", 1: "queued", 2: None}
    assert world.indices_of(run, "j") == {-1: "upstream_failed"}
    world.step(world.result(third, "skipped"))
    assert world.indices_of(run, "b") == {0: "upstream_failed", 1: "queued", 2: "skipped"}


def test_nested_groups_and_an_expansion_within_them_share_the_outer_places() -> None:
    tasks = [
        TaskSpec(task_id="a", group="outer"),
        TaskSpec(task_id="b", upstream=("a",), group="inner"),
        TaskSpec(task_id="c", upstream=("b",), group="inner", expansion=literal(2)),
        TaskSpec(task_id="d", upstream=("c",), group="outer"),
    ]
    world = World(
        dag_record(
            tasks, groups={"outer": None, "inner": "outer"}, group_expansions={"outer": literal(2), "inner": literal(3)}
        )
    )
    run = world.start()
    assert [len(world.indices_of(run, task.task_id)) for task in tasks] == [2, 6, 12, 2]
    world.step(world.result(world.live("a")[1]))
    assert [a.map_index for a in world.live("b")] == [3, 4, 5]
    world.step(world.result(world.live("b")[1]))
    assert [(a.map_index, a.factor_lengths) for a in world.live("c")] == [
        (8, ((2,), (3,), (2,))),
        (9, ((2,), (3,), (2,))),
    ]
    world.end_all("c")
    world.end_all("b")
    world.end_all("c")
    assert [a.map_index for a in world.live("d")] == [1]


def test_a_branch_in_a_mapped_group_skips_at_its_place_alone_also_after_a_clear() -> None:
    world = World(dag_record(IN_GROUP, **GROUP))
    run = world.start()
    world.end("u", return_length=2)
    first, second = world.live("a")
    world.step(world.result(first, skip_task_ids=("b",)))
    assert world.indices_of(run, "b") == {0: "skipped", 1: None}
    world.step(world.result(second))
    clear(world, run.run_pk, "b[0]")
    assert world.indices_of(run, "b") == {0: "skipped", 1: "queued"}
    clear(world, run.run_pk, "a[0]", "b[0]")
    assert world.indices_of(run, "b") == {0: None, 1: "queued"}


def test_a_branch_skips_its_place_of_a_task_that_is_expanded_later_also_after_a_take_over() -> None:
    tasks = [
        TaskSpec(task_id="u"),
        TaskSpec(task_id="n"),
        TaskSpec(task_id="a", upstream=("u",), group="g"),
        TaskSpec(task_id="b", upstream=("a", "n"), group="g", expansion=over("n")),
    ]
    world = World(dag_record(tasks, **GROUP))
    run = world.start()
    world.end("u", return_length=2)
    first, second = world.live("a")
    world.step(world.result(first, skip_task_ids=("b",)), world.result(second))
    world.take_over()
    world.end("n", return_length=2)
    assert world.indices_of(run, "b") == {0: "skipped", 1: "skipped", 2: "queued", 3: "queued"}


@pytest.mark.parametrize(
    "rule", ["all_done", "none_failed_min_one_success", "all_done_min_one_success", "one_success", "none_skipped"]
)
def test_rules_over_a_mapped_group_are_evaluated_on_its_instances(rule: str) -> None:
    """apache/airflow #39801, #59289, #34023, #51320, #37091: skipped or upstream_failed before the group was expanded and done."""
    tasks = [*IN_GROUP[:3], replace(IN_GROUP[3], trigger_rule=rule)]
    world = World(dag_record(tasks, **GROUP))
    run = world.start()
    world.end("u", return_length=2)
    assert world.indices_of(run, "j") == {-1: None}
    world.end_all("a")
    first, second = world.live("b")
    world.step(world.result(first))
    assert world.indices_of(run, "j") == {-1: "queued" if rule == "one_success" else None}
    world.step(world.result(second, "failed" if rule == "all_done" else "success"))
    assert world.indices_of(run, "j") == {-1: "queued"}


def test_a_teardown_in_a_mapped_group_follows_the_setup_of_its_place() -> None:
    tasks = [
        TaskSpec(task_id="s", group="g", is_setup=True),
        TaskSpec(task_id="w", upstream=("s",), group="g"),
        TaskSpec(task_id="t", upstream=("s", "w"), group="g", is_teardown=True, trigger_rule="all_done_setup_success"),
    ]
    world = World(dag_record(tasks, groups={"g": None}, group_expansions={"g": literal(2)}))
    run = world.start()
    first, second = world.live("s")
    world.step(world.result(first, "failed"), world.result(second))
    assert world.indices_of(run, "t") == {0: "upstream_failed", 1: None}
    world.end("w", "failed")
    assert world.indices_of(run, "t") == {0: "upstream_failed", 1: "queued"}


def test_a_length_that_became_known_by_a_deferral_expands() -> None:
    world = World(dag_record(LENGTH_FROM_U))
    run = world.start()
    world.end("u", "deferred", wait=Deferral(classpath="x.T", kwargs="{}", next_method=None))
    result = DeferralResult(outcome="success", xcoms={"return_value": '{"a": 1, "b": 2}'})
    world.step(e.DeferralEnded(world.key(run, "u"), 1, result))
    assert world.indices_of(run, "d") == {0: "queued", 1: "queued"}


def test_retries_and_deferrals_are_those_of_one_index() -> None:
    tasks = [TaskSpec(task_id="d", expansion=literal(3), retries=1, retry_delay_s=5.0)]
    world = World(dag_record(tasks))
    run = world.start()
    first, second, _ = world.live("d")
    world.step(
        world.result(first, "failed"),
        world.result(second, "deferred", wait=Deferral(classpath="x.T", kwargs="{}", next_method="go")),
    )
    assert world.states_of(run, "d") == {0: "up_for_retry", 1: "deferred", 2: "queued"}
    world.step(e.DeferralEnded(world.key(run, "d", 1), 1, DeferralResult(outcome="event", payload="{}")), seconds=6)
    assert sorted((a.map_index, a.try_number) for a in world.live("d")) == [(0, 2), (1, 1), (2, 1)]


def test_limits_count_the_instances_of_a_mapped_task() -> None:
    tasks = [TaskSpec(task_id="d", expansion=literal(5), max_active_tis_per_dagrun=2, max_active_tis_per_dag=3)]
    world = World(dag_record(tasks))
    first = world.start()
    world.start()
    assert [(a.run.run_pk, a.map_index) for a in world.live("d")] == [(1, 0), (1, 1), (2, 0)]
    world.step(world.result(world.live("d")[0]))
    assert [(a.run.run_pk, a.map_index) for a in world.live("d")] == [(1, 1), (2, 0), (1, 2)]
    (waiting,) = [why for why in tell_run(world.engine_state, first.run_pk, world.now) if "max_active" in why]
    assert waiting == "d[3-4] (2 instances): max_active_tis_per_dag=3 of task d is reached"


def test_depends_on_past_waits_for_all_instances_of_the_previous_run() -> None:
    tasks = [TaskSpec(task_id="d", expansion=literal(2), depends_on_past=True)]
    world = World(dag_record(tasks))
    world.start()
    second = world.start()
    world.step(world.result(world.live("d")[0]))
    assert world.indices_of(second, "d") == {0: None, 1: None}
    world.step(world.result(world.live("d")[0]))
    assert world.indices_of(second, "d") == {0: "queued", 1: "queued"}


def test_dagrun_timeout_ends_an_unexpanded_task_and_all_instances() -> None:
    world = World(dag_record([*LENGTH_FROM_U, TaskSpec(task_id="e", expansion=literal(2))], dagrun_timeout_s=60.0))
    run = world.start()
    world.step(seconds=61)
    assert world.state(run) == "failed" and world.states_of(run, "d") == {-1: "skipped"}
    assert world.states_of(run, "e") == {0: "skipped", 1: "skipped"}


def test_explain_names_the_length_that_an_expansion_waits_for() -> None:
    tasks = [TaskSpec(task_id="u"), TaskSpec(task_id="a", group="g"), TaskSpec(task_id="b", upstream=("a",), group="g")]
    world = World(dag_record(tasks, **GROUP))
    run = world.start()
    for task_id in ("a", "b"):
        assert tell_task(world.engine_state, run.run_pk, task_id, -1, world.now) == [
            "its expansion waits for the length of the return value of task u (queued)"
        ]
    world.end("u", return_length=3)


def test_the_rendered_map_index_is_stored() -> None:
    world = World(dag_record(LENGTH_FROM_U))
    run = world.start()
    world.end("u", return_length=1)
    world.end("d", rendered_map_index="file\0.csv")
    assert world.rows[world.key(run, "d", 0)].rendered_map_index == "file\\x00.csv"


@pytest.mark.parametrize("count", [100, 400])
def test_the_events_of_a_mapped_task_evaluate_each_instance_a_bounded_number_of_times(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = 0
    compute = task_lifecycle.compute_verdict

    def counted(ti: object) -> object:
        nonlocal verdicts
        verdicts += 1
        return compute(ti)  # type: ignore[arg-type]

    monkeypatch.setattr(task_lifecycle, "compute_verdict", counted)
    world = World(
        dag_record(IN_GROUP, **GROUP, max_active_tasks=1000),
        slots=1000,
        pools=[PoolRecord("default_pool", -1, 0)],
        limits=EngineLimits(parallelism=None, max_admissions_per_step=1000),
    )
    run = world.start()
    world.end("u", return_length=count)
    for task_id in ("a", "b"):
        for attempt in world.live(task_id):
            world.step(world.result(attempt))
    world.end("j")
    assert world.state(run) == "success" and verdicts <= 4 * count + 20
