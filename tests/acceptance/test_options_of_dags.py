"""Options that give DAGs and tasks their defaults, each seen where it matters: in what is run, when, and how often."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.acceptance.effects import World, effect_of, options
from tests.databases import create_schema
from tests.unit.entry.cli.deployment import spec_of

from gnomon.ground.config import set_current_config
from gnomon.model.instants import SECOND, Instant
from gnomon.model.mapping import Expansion, XComLength
from gnomon.model.spec import TaskSpec
from gnomon.model.states import TaskInstanceState as S
from gnomon.testing import Play

SUNDAY: Instant = 1_772_355_600 * SECOND
"""2026-03-01T09:00:00Z"""
MONDAY = SUNDAY + 15 * 3600 * SECOND
ForWorld = Callable[..., World]
TASK = "BaseOperator(task_id={0!r}{1})"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "empty.db"
    create_schema(f"sqlite:///{path}")
    return path


@pytest.fixture
def world(tmp_path: Path, database: Path) -> Iterator[ForWorld]:
    """Makes a world under some options."""
    made: list[World] = []

    def make(start: Instant = SUNDAY, **values: object) -> World:
        values = {"core__dags_are_paused_at_creation": False, **values}
        made.append(World(options(tmp_path / f"home{len(made)}", **values), database, start))
        return made[-1]

    yield make
    for one in made:
        one.close()
    set_current_config(None)


def wide(count: int, **arguments: object) -> str:
    """A DAG of so many tasks that wait for nothing, run once."""
    given = "".join(f", {name}={value!r}" for name, value in arguments.items())
    return f"""
        with DAG("wide", schedule="@once", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc){given}):
            [BaseOperator(task_id=f"t{{i}}") for i in range({count})]
    """


# ---- how much at once ------------------------------------------------------------------------------------------------
@effect_of("core.parallelism")
@pytest.mark.parametrize(("parallelism", "running"), [(3, 3), (32, 32), (0, 60)])
def test_parallelism_bounds_what_runs_and_0_is_no_bound(world: ForWorld, parallelism: int, running: int) -> None:
    it = world(core__parallelism=parallelism)
    it.file(wide(60, max_active_tasks=100))
    it.go(0.5)
    assert len(it.live) == running


@effect_of("workers.attempts_per_child")
@pytest.mark.parametrize(
    ("values", "arguments", "told"),
    [
        ({}, {}, 1),
        ({"workers__attempts_per_child": 50}, {}, 50),
        ({"workers__attempts_per_child": 50}, {"attempts_per_child": 3}, 3),
    ],
)
def test_a_process_runs_as_many_tasks_as_the_dag_or_else_the_option_says(
    world: ForWorld, values: dict[str, object], arguments: dict[str, object], told: int
) -> None:
    it = world(**values)
    it.file(wide(2, **arguments))
    it.go(0.5)
    assert it.attempts_per_child == {told}


@effect_of("scheduler.max_tis_per_query")
@pytest.mark.parametrize(("most", "running"), [(2, 2), (16, 16), (0, 32)])
def test_one_admission_takes_at_most_max_tis_per_query(world: ForWorld, most: int, running: int) -> None:
    it = world(scheduler__max_tis_per_query=most)
    it.file(wide(60, max_active_tasks=100))
    it.start()
    taken = [len(it.live)]
    for _ in range(40):
        it.tick()
        taken.append(len(it.live))
    assert max(after - before for before, after in zip([0, *taken], taken, strict=False)) == running
    assert taken[-1] == 32


@effect_of("core.max_map_length")
@pytest.mark.parametrize(("longest", "state"), [(2, S.FAILED), (3, S.SUCCESS)])
def test_a_return_value_over_max_map_length_fails_the_task_that_is_mapped_over_it(
    world: ForWorld, longest: int, state: S
) -> None:
    it = world(core__max_map_length=longest)
    over_u = Expansion(factors=(XComLength(task_id="u"),))
    it.add(spec_of("flow", tasks=(TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",), expansion=over_u))))
    it.plays["u"] = Play(return_length=3)
    it.go()
    assert it.cli("dags", "trigger", "flow").code == 0
    it.go(5.0)
    assert it.states("flow")[0]["d"][0] is state


@effect_of("core.max_active_tasks_per_dag")
@pytest.mark.parametrize(("most", "running"), [(2, 2), (16, 16)])
def test_a_dag_has_so_many_active_tasks(world: ForWorld, most: int, running: int) -> None:
    it = world(core__max_active_tasks_per_dag=most)
    it.file(wide(20))
    it.go(0.5)
    assert len(it.live) == running


@effect_of("core.max_active_runs_per_dag")
@pytest.mark.parametrize(("most", "running"), [(2, 2), (5, 5)])
def test_a_dag_has_so_many_active_runs(world: ForWorld, most: int, running: int) -> None:
    it = world(core__max_active_runs_per_dag=most)
    it.file("""
        with DAG("d", schedule="@daily", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), catchup=True):
            BaseOperator(task_id="t")
    """)
    it.go(0.5)
    assert len(it.live) == running


@effect_of("core.max_consecutive_failed_dag_runs_per_dag")
@pytest.mark.parametrize(
    ("values", "argument", "made"),
    [
        ({}, "", 6),
        ({"core__max_consecutive_failed_dag_runs_per_dag": 2}, "", 2),
        ({"core__max_consecutive_failed_dag_runs_per_dag": 2}, "max_consecutive_failed_dag_runs=4, ", 4),
    ],
)
def test_a_dag_is_paused_after_so_many_failed_runs(
    world: ForWorld, values: dict[str, object], argument: str, made: int
) -> None:
    it = world(**values)
    it.plays["t"] = Play(outcome="failed")
    it.file(f"""
        with DAG("d", schedule="@daily", start_date=datetime(2026, 2, 24, tzinfo=timezone.utc), catchup=True,
                 {argument}max_active_runs=1):
            BaseOperator(task_id="t")
    """)
    it.go(20)
    assert len(it.runs("d")) == made
    assert (f"its last {made} runs failed" in it.cli("dags", "show", "d").out) is (made < 6)
    if made == 6:
        return
    it.plays["t"] = Play()
    it.cli("dags", "unpause", "d")
    it.go(20)
    assert len(it.runs("d")) == 6
    assert "runs failed" not in it.cli("dags", "show", "d").out


@effect_of("scheduler.max_dagruns_to_create_per_loop")
@pytest.mark.parametrize(("most", "made"), [(1, 1), (10, 4)])
def test_one_round_plans_so_many_dags(world: ForWorld, most: int, made: int) -> None:
    it = world(scheduler__max_dagruns_to_create_per_loop=most)
    it.file("""
        for number in range(4):
            with DAG(f"d{number}", schedule="@once", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc)) as made:
                BaseOperator(task_id="t")
            globals()[f"d{number}"] = made
    """)
    it.start()
    counts = [sum(len(it.runs(f"d{number}")) for number in range(4))]
    while counts[-1] < 4:
        it.tick()
        counts.append(sum(len(it.runs(f"d{number}")) for number in range(4)))
    assert max(after - before for before, after in zip([0, *counts], counts, strict=False)) == made


# ---- tries and limits of a task --------------------------------------------------------------------------------------
def _failing(it: World, seconds: float) -> list[dict[str, tuple[S | None, int]]]:
    it.plays["t0"] = Play(run_s=1.0, outcome="failed", reason="by design")
    it.file(wide(1))
    it.go(seconds)
    return it.states("wide")


@effect_of("core.default_task_retries")
@pytest.mark.parametrize(("retries", "state"), [(0, S.FAILED), (1, S.UP_FOR_RETRY)])
def test_a_task_has_so_many_retries(world: ForWorld, retries: int, state: S) -> None:
    assert _failing(world(core__default_task_retries=retries), 5)[0]["t0"] == (state, 1)


@effect_of("core.default_task_restartable")
@pytest.mark.parametrize(("restartable", "state"), [(True, S.SUCCESS), (False, S.FAILED)])
def test_an_attempt_that_was_lost_after_it_began_runs_again(world: ForWorld, restartable: bool, state: S) -> None:
    it = world(core__default_task_restartable=restartable)
    it.plays["t0"] = Play(run_s=2.0, outcome="lost", reason="lost: the worker was stopped")
    it.file(wide(1))
    it.go(5)
    it.plays["t0"] = Play(run_s=1.0)
    it.go(10)
    assert it.states("wide")[0]["t0"] == (state, 1)


@effect_of("core.default_task_retry_delay")
@pytest.mark.parametrize(("delay", "tries"), [(10, 2), (300, 1)])
def test_a_retry_comes_after_so_many_seconds(world: ForWorld, delay: int, tries: int) -> None:
    it = world(core__default_task_retries=1, core__default_task_retry_delay=delay)
    assert _failing(it, 20)[0]["t0"][1] == tries


@effect_of("core.default_task_weight_rule")
@pytest.mark.parametrize(("rule", "first"), [("downstream", "head"), ("absolute", "heavy"), ("upstream", "heavy")])
def test_the_weight_rule_decides_who_goes_first(world: ForWorld, rule: str, first: str) -> None:
    it = world(core__default_task_weight_rule=rule, core__parallelism=1)
    it.file("""
        with DAG("d", schedule="@once", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc)):
            BaseOperator(task_id="head") >> [BaseOperator(task_id=f"tail{i}") for i in range(5)]
            BaseOperator(task_id="heavy", priority_weight=3)
    """)
    it.go(0.5)
    assert it.live == [first]


@effect_of("scheduler.ignore_first_depends_on_past_by_default")
@pytest.mark.parametrize(("ignore", "state"), [(True, S.SUCCESS), (False, None)])
def test_a_task_that_is_new_in_its_dag_has_no_past(world: ForWorld, ignore: bool, state: S | None) -> None:
    it = world(scheduler__ignore_first_depends_on_past_by_default=ignore)
    text = """
        with DAG("d", schedule=None, default_args={"depends_on_past": True}):
            for task_id in %s:
                BaseOperator(task_id=task_id)
    """
    it.file(text % ["old"])
    it.go()
    it.cli("dags", "trigger", "d")
    it.go(5)
    it.file(text % ["old", "new"])
    it.go(40)
    it.cli("dags", "trigger", "d", "--run-id", "second")
    it.go(5)
    assert it.states("d")[1].get("new", (None, 0))[0] == state
    assert ("its ignore_first_depends_on_past is False" in it.cli("explain", "d", "second").out) is not ignore


# ---- when ------------------------------------------------------------------------------------------------------------
@effect_of("core.dags_are_paused_at_creation")
@pytest.mark.parametrize("paused", [True, False])
def test_a_new_dag_waits_until_it_is_unpaused(world: ForWorld, paused: bool) -> None:
    it = world(core__dags_are_paused_at_creation=paused)
    it.file(wide(1))
    it.go(5)
    assert (it.runs("wide") == []) is paused
    it.cli("dags", "unpause", "wide")
    it.go(5)
    assert len(it.runs("wide")) == 1


@effect_of("scheduler.catchup_by_default")
@pytest.mark.parametrize(("catchup", "made"), [(False, 1), (True, 5)])
def test_catchup_makes_the_runs_that_were_missed(world: ForWorld, catchup: bool, made: int) -> None:
    it = world(scheduler__catchup_by_default=catchup)
    it.file("""
        with DAG("d", schedule="@daily", start_date=datetime(2026, 2, 25, tzinfo=timezone.utc)):
            BaseOperator(task_id="t")
    """)
    it.go(10)
    assert len(it.runs("d")) == made


@effect_of("scheduler.use_job_schedule")
@pytest.mark.parametrize("use", [True, False])
def test_without_the_job_schedule_there_are_manual_runs_only(world: ForWorld, use: bool) -> None:
    it = world(scheduler__use_job_schedule=use)
    it.file(wide(1))
    it.go(5)
    assert len(it.runs("wide")) == use
    assert ("[scheduler] use_job_schedule" in it.cli("explain", "wide").out) is not use
    it.cli("dags", "trigger", "wide")
    it.go(5)
    assert {state["t0"][0] for state in it.states("wide")} == {S.SUCCESS}


@effect_of("scheduler.misfire_grace")
@pytest.mark.parametrize(
    ("grace", "made"), [(60, ["09:01:00", "09:04:00"]), (600, ["09:01:00", "09:02:00", "09:03:00", "09:04:00"])]
)
def test_a_run_that_is_later_than_the_grace_gives_way_to_a_newer_one(
    world: ForWorld, grace: int, made: list[str]
) -> None:
    it = world(scheduler__misfire_grace=grace, core__max_active_runs_per_dag=1)
    it.plays["t"] = Play(run_s=200.0)
    it.file("""
        with DAG("d", schedule="* * * * *", start_date=datetime(2026, 3, 1, 9, 1, tzinfo=timezone.utc)):
            BaseOperator(task_id="t")
    """)
    it.go(100)
    it.plays["t"] = Play(run_s=0.1)  # the first run, which is under way, takes its 200 s all the same
    it.go(190)
    assert it.runs("d") == made


@effect_of("scheduler.max_waiting_runs")
@pytest.mark.parametrize(("most", "made"), [(3, 3), (1000, 21)])
def test_so_many_runs_of_a_dag_wait_for_others_and_no_more_are_made_ahead(
    world: ForWorld, most: int, made: int
) -> None:
    it = world(scheduler__max_waiting_runs=most, core__max_active_runs_per_dag=2)
    it.file("""
        from gnomon import After

        with DAG("d", schedule="* * * * *", start_date=datetime(2026, 3, 1, 8, 40, tzinfo=timezone.utc), catchup=True,
                 depends_on=After("elsewhere")):
            BaseOperator(task_id="t")
    """)
    it.go(5)
    assert len(it.runs("d")) == made
    assert it.states("d") == [{}] * made


# ---- what a run covers -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("cron_has", [True, False])
@pytest.mark.parametrize("delta_has", [True, False])
@effect_of("scheduler.create_cron_data_intervals", "scheduler.create_delta_data_intervals")
def test_cron_and_delta_have_intervals_each_for_itself(world: ForWorld, cron_has: bool, delta_has: bool) -> None:
    it = world(
        MONDAY - 2 * SECOND,
        scheduler__create_cron_data_intervals=cron_has,
        scheduler__create_delta_data_intervals=delta_has,
    )
    it.file("""
        with DAG("cron", schedule="0 0 * * 1-5", start_date=datetime(2026, 2, 1, tzinfo=timezone.utc)):
            BaseOperator(task_id="t")
        with DAG("delta", schedule=timedelta(hours=1), start_date=datetime(2026, 3, 1, 23, tzinfo=timezone.utc), catchup=True):
            BaseOperator(task_id="t")
    """)
    it.go(5)
    for dag_id, has, covered in (
        ("cron", cron_has, ("2026-02-27T00:00:00.000000+00:00", "2026-03-02T00:00:00.000000+00:00")),
        ("delta", delta_has, ("2026-03-01T23:00:00.000000+00:00", "2026-03-02T00:00:00.000000+00:00")),
    ):
        shown = it.cli("dags", "show", dag_id).out
        assert ("data intervals" in shown, "ticks without an interval" in shown) == (has, not has)
        assert _interval_of_midnight(it, dag_id) == (covered if has else (covered[1], covered[1]))


def _interval_of_midnight(it: World, dag_id: str) -> tuple[str, str]:
    (run,) = (
        run
        for run in json.loads(it.cli("runs", "list", dag_id, "-o", "json").out)
        if run["run_after"].startswith("2026-03-02T00:00:00")
    )
    return run["data_interval_start"], run["data_interval_end"]


@effect_of("core.airflow_dialect")
@pytest.mark.parametrize(("option", "number"), [(2, 2), (3, 3)])
def test_dags_without_arguments_of_airflow_2_follow_the_dialect_of_the_option(
    world: ForWorld, option: int, number: int
) -> None:
    it = world(MONDAY - 2 * SECOND, core__airflow_dialect=option)
    it.file("""
        with DAG("cron", schedule="0 0 * * 1-5", start_date=datetime(2026, 2, 25, tzinfo=timezone.utc)):
            BaseOperator(task_id="t")
        with DAG("none", start_date=datetime(2026, 2, 27, tzinfo=timezone.utc)):
            BaseOperator(task_id="t")
    """)
    it.go(5)
    shown = it.cli("dags", "show", "cron").out
    assert f"Airflow {number} (" in shown
    assert ("because of [core] airflow_dialect" in shown) is (option == 2)
    assert len(it.runs("cron")) == (3 if number == 2 else 2), "catchup"
    assert len(it.runs("none")) == (3 if number == 2 else 0), "the default of schedule"
    assert _interval_of_midnight(it, "cron")[0].startswith("2026-02-27" if number == 2 else "2026-03-02")
    it.cli("dags", "trigger", "cron", "--run-id", "by-hand")
    assert (
        "2026-03-02" in (json.loads(it.cli("runs", "show", "cron", "by-hand", "-o", "json").out)["logical_date"] or "")
    ) is (number == 2)


@pytest.mark.parametrize(
    "options", [{}, {"scheduler__create_cron_data_intervals": False, "scheduler__catchup_by_default": False}]
)
def test_a_dag_with_schedule_interval_follows_airflow_2_and_options_that_are_set_win(
    world: ForWorld, options: dict[str, bool]
) -> None:
    it = world(MONDAY - 2 * SECOND, **options)
    it.file("""
        with DAG("old", schedule_interval="0 0 * * 1-5", start_date=datetime(2026, 2, 25, tzinfo=timezone.utc)):
            BaseOperator(task_id="t")
        with DAG("new", schedule="0 0 * * 1-5", start_date=datetime(2026, 2, 25, tzinfo=timezone.utc)):
            BaseOperator(task_id="t")
    """)
    it.go(5)
    start = "2026-03-02T00:00:00.000000+00:00"
    assert _interval_of_midnight(it, "old") == (start if options else "2026-02-27T00:00:00.000000+00:00", start)
    assert _interval_of_midnight(it, "new") == (start, start)
    assert len(it.runs("old")) == (2 if options else 3)
    shown = it.cli("dags", "show", "old").out
    assert "Airflow 2 (because of its argument schedule_interval=)" in shown
    assert ("ds is the start of this interval; catchup is True" in shown) is not options
    assert "Airflow 3 (the default of [core] airflow_dialect)" in it.cli("dags", "show", "new").out


@effect_of("core.default_timezone")
@pytest.mark.parametrize(("zone", "moment"), [("utc", "2026-03-01T12:00:00"), ("Europe/Zurich", "2026-03-01T11:00:00")])
def test_naive_dates_are_read_in_the_default_zone(world: ForWorld, zone: str, moment: str) -> None:
    it = world(core__default_timezone=zone)
    it.file("""
        with DAG("d", schedule="0 12 * * *", start_date=datetime(2026, 3, 1)):
            BaseOperator(task_id="t")
    """)
    it.go(1)
    assert f"\n{moment}Z\n" in it.cli("dags", "show", "d").out
    it.cli("dags", "trigger", "d", "--logical-date", "2026-03-01T12:00", "--run-id", "r")
    assert moment in it.cli("runs", "show", "d", "r").out


# ---- what is shown and asked -----------------------------------------------------------------------------------------
@effect_of("operators.default_owner")
@pytest.mark.parametrize("owner", ["airflow", "data-team"])
def test_a_dag_belongs_to_the_default_owner(world: ForWorld, owner: str) -> None:
    it = world(operators__default_owner=owner)
    it.file(wide(1))
    assert f"  {owner}  " in it.cli("dags", "list").out


@effect_of("scheduler.allowed_run_id_pattern")
@pytest.mark.parametrize(("pattern", "code"), [("", 0), ("^[a-z ]+$", 0), ("^[0-9]+$", 1)])
def test_a_run_id_must_match_the_pattern(world: ForWorld, pattern: str, code: int) -> None:
    it = world(scheduler__allowed_run_id_pattern=pattern)
    it.file(wide(1))
    ended = it.cli("dags", "trigger", "wide", "--run-id", "of mine")
    assert ended.code == code
    assert ("[scheduler] allowed_run_id_pattern" in ended.err) is (code == 1)


@effect_of("core.default_pool_task_slot_count")
@pytest.mark.parametrize(("slots", "running"), [(128, 32), (3, 3)])
def test_a_new_database_has_a_default_pool_of_so_many_slots(world: ForWorld, slots: int, running: int) -> None:
    it = world(core__default_pool_task_slot_count=slots)
    it.db.close()
    (it.cfg.home / "gnomon.db").unlink()
    assert it.cli("db", "migrate").code == 0
    it.file(wide(60, max_active_tasks=100))
    it.go(0.5)
    assert len(it.live) == running
