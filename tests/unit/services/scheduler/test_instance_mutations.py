"""`task_instance_mutation_hook` under a scheduler: asked in a host, answered later, and no try starts without the answer to its question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.databases import BOTH, new_database
from tests.unit.services.scheduler.between import START, Cut, World

from gnomon.author_code.loading import cluster_policies
from gnomon.author_code.timetable_host import MUTATE_INSTANCES, TimetableRequest, TimetableResponse
from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.entry.testing.scripted import Play
from gnomon.ground.config import current_config, load_config, set_current_config
from gnomon.model.attempts import Attempt, InstanceOverrides
from gnomon.model.instance_mutation import MutationAnswer, MutationAnswers, MutationQuestion
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.explanations.task_explanation import explain_task
from gnomon.rules.engine.lifecycle.instance_mutation import RETRY_S
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.timetables.simple_timetables import NullTimetable
from gnomon.storage.store.admin import pools
from gnomon.storage.store.ownership import group_state

RETRY_H = RETRY_S / 3600
FAULTS = ["crash_before", "crash_after", "unavailable", "uncertain_lost", "uncertain_done"]
POLICIES = """
def task_instance_mutation_hook(task_instance, dag_run):
    if task_instance.try_number >= 1:
        task_instance.queue = "retry_queue"
    if task_instance.task_id == "big":
        task_instance.pool, task_instance.pool_slots = "small", 2
    task_instance.priority_weight = len(dag_run.run_id)
"""


class HookHost(InProcessTimetableHost):
    """Keeps the questions to the hook while `holds`."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = False
        self.kept: list[TimetableRequest] = []
        self.responses: list[TimetableResponse] = []
        self.asked = 0

    def ask(self, question: TimetableRequest) -> None:
        if question.function == MUTATE_INSTANCES:
            self.asked += 1
            if self.holds:
                self.kept.append(question)
                return
        super().ask(question)

    def collect(self) -> list[TimetableResponse]:
        responses, self.responses = self.responses, []
        return [*responses, *super().collect()]

    def wake_in_s(self) -> float | None:
        return 0.0 if self.responses else super().wake_in_s()

    def answer_all(self) -> None:
        """The hook is called for the kept questions."""
        kept, self.kept, self.holds = self.kept, [], False
        for question in kept:
            super().ask(question)

    def answer_first(self, **values: object) -> None:
        """The answer to the first kept question sets these values on all its instances."""
        request = self.kept.pop(0)
        question: MutationQuestion = msgspec.convert(
            msgspec.msgpack.decode(request.arguments)["question"], MutationQuestion
        )
        answers: tuple[MutationAnswer, ...] = tuple(
            InstanceOverrides(try_number=one.try_number, **values)
            for one in question.instances  # type: ignore[arg-type]
        )
        self.responses.append(
            TimetableResponse(number=request.number, value=msgspec.msgpack.encode(MutationAnswers(answers=answers)))
        )

    def fail_all(self, error: str) -> None:
        """The host gives no answer to the kept questions."""
        self.responses += [
            TimetableResponse(number=request.number, error=error, is_process_ended=True) for request in self.kept
        ]
        self.kept, self.holds = [], False


@pytest.fixture
def host() -> HookHost:
    return HookHost()


@pytest.fixture
def write_policies(tmp_path: Path) -> Iterator[Callable[[str], None]]:
    before = current_config()
    set_current_config(load_config({}, tmp_path))
    (tmp_path / "config").mkdir()

    def write(text: str) -> None:
        (tmp_path / "config" / "airflow_local_settings.py").write_text(text)
        cluster_policies.forget_policies()

    write(POLICIES)
    yield write
    cluster_policies.forget_policies()
    set_current_config(before)


@pytest.fixture(params=BOTH)
def world(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    host: HookHost,
    write_policies: Callable[[str], None],
) -> Iterator[World]:
    with new_database(request.param, tmp_path) as url:
        made = World(url, monkeypatch, host=host)
        set_pool(made, "small", 2)
        yield made
        made.db.close()


def set_pool(world: World, name: str, slots: int) -> None:
    with world.writing() as tx:
        pools.set_pool(tx, name, slots)


def hooked(
    world: World, *tasks: TaskSpec, dag_id: str = "h", play: Callable[[Attempt], Play] = lambda _: Play(0.0)
) -> list[Attempt]:
    """A DAG whose task instances the hook may change; returns the list of its attempts, which grows."""
    attempts: list[Attempt] = []

    def record(attempt: Attempt) -> Play:
        attempts.append(attempt)
        return play(attempt)

    world.plays[dag_id] = record
    world.dag(dag_id, NullTimetable(), tasks=tasks or (TaskSpec(task_id="t"),), mutates_instances=True)
    return attempts


def rows(world: World, run: RunRecord) -> dict[str, TaskRecord]:
    """The rows of the run, by task id."""
    with world.db.read() as tx:
        names = {number: task_id for task_id, number in world.record("h").task_numbers.items()}
        return {names[row.task_no]: row for row in group_state.load_tasks(tx, [run.run_pk])}


def why(world: World, run: RunRecord, task_id: str = "t") -> str:
    with world.db.read() as tx:
        sentences = explain_task(tx, world.record("h"), run, task_id, -1, EngineLimits(), world.clock.now())
    return sentences.texts[-1]


def trigger(world: World, run_id: str = "by_hand", dag_id: str = "h") -> RunRecord:
    return world.by_hand(dag_id, START + len(run_id), run_id)


def test_what_the_hook_sets_is_stored_admitted_and_seen_by_each_try(world: World) -> None:
    attempts = hooked(
        world,
        TaskSpec(task_id="big", retries=1, retry_delay_s=60.0),
        TaskSpec(task_id="t", upstream=("big",)),
        play=lambda attempt: Play(
            0.0, outcome="failed" if attempt.task_id == "big" and attempt.try_number == 1 else "success"
        ),
    )
    world.until(0)
    run = trigger(world)
    world.until(1)
    first = InstanceOverrides(try_number=0, pool="small", pool_slots=2, priority_weight=7)
    second = InstanceOverrides(try_number=1, queue="retry_queue", pool="small", pool_slots=2, priority_weight=7)
    assert [(attempt.task_id, attempt.overrides) for attempt in attempts] == [
        ("big", first),
        ("big", second),
        ("t", InstanceOverrides(try_number=0, priority_weight=7)),
    ]
    stored = rows(world, run)
    assert (stored["big"].pool, stored["big"].pool_slots, stored["big"].priority, stored["big"].overrides) == (
        "small",
        2,
        7,
        second,
    )
    with world.db.read() as tx:
        assert {pool.name: pool.used for pool in pools.list_pools(tx)} == {"default_pool": 0, "small": 0}


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_commit_that_fails_around_the_question_or_the_answer_starts_each_try_once(
    world: World, host: HookHost, fault: str, number: int
) -> None:
    """`number`: the commit of the question, that of the answer, or the next one meets the fault."""
    attempts = hooked(world, TaskSpec(task_id="a"), TaskSpec(task_id="big"))
    world.until(0)
    world.schedulers[0].db.plan = Cut(number, fault)  # type: ignore[assignment]
    run = trigger(world)
    world.until(1)
    assert sorted(attempt.task_id for attempt in attempts) == ["a", "big"]
    assert {str(row.state) for row in rows(world, run).values()} == {"success"}
    assert {attempt.task_id: attempt.overrides and attempt.overrides.pool for attempt in attempts} == {
        "a": None,
        "big": "small",
    }
    assert all(row.overrides is not None for row in rows(world, run).values())


@pytest.mark.parametrize("fault", ["uncertain_lost", "uncertain_done"])
def test_an_answer_after_a_refused_commit_is_the_answer_to_nothing(world: World, host: HookHost, fault: str) -> None:
    attempts = hooked(world)
    world.until(0)
    host.holds = True
    run = trigger(world)
    world.until(0)
    world.schedulers[0].db.plan = Cut(1, fault)  # type: ignore[assignment]
    trigger(world, "second_run")
    world.until(0)
    assert not attempts and len(host.kept) >= 3, "the runs were read again, and both were asked about again"
    old, new = host.kept[0], host.kept[-2:]
    host.kept = [old]
    host.answer_first(pool="small")
    world.until(0)
    assert not attempts
    host.kept = new
    host.answer_all()
    world.until(0)
    assert [attempt.overrides and attempt.overrides.pool for attempt in attempts] == [None, None]
    assert rows(world, run)["t"].pool == "default_pool"


def test_while_the_hook_hangs_only_its_dag_waits_and_explain_says_so(world: World, host: HookHost) -> None:
    attempts = hooked(world)
    world.dag("other", NullTimetable(), run_s=1)
    world.until(0)
    host.holds = True
    run = trigger(world)
    other = trigger(world, dag_id="other")
    world.until(1)
    assert world.runs("other")[0].state == "success" and other.run_id == "by_hand"
    assert not attempts and why(world, run).startswith(
        "task_instance_mutation_hook of the cluster policies is asked for its queue"
    )
    host.answer_all()
    world.until(2)
    assert len(attempts) == 1


def test_a_host_that_gives_no_answer_is_the_reason_and_is_asked_again(
    world: World, host: HookHost, caplog: pytest.LogCaptureFixture
) -> None:
    attempts = hooked(world)
    world.until(0)
    host.holds = True
    run = trigger(world)
    world.until(0)
    host.fail_all(
        "task_instance_mutation_hook did not answer within 5 s (it was at p.py, line 3); check the cluster policies"
    )
    world.until(RETRY_H / 2)
    assert not attempts and host.asked == 1
    assert why(world, run) == (
        "its queue and its pool are not known, because task_instance_mutation_hook did not answer within 5 s (it was at p.py, line 3); "
        "check the cluster policies; the policies are asked again every 1 min, and when the DAG file or they change"
    )
    world.until(RETRY_H)
    assert host.asked == 2 and len(attempts) == 1 and rows(world, run)["t"].state == "success"


def test_a_hook_that_raises_for_one_task_holds_that_task_alone(
    world: World, host: HookHost, write_policies: Callable[[str], None]
) -> None:
    write_policies(
        "def task_instance_mutation_hook(task_instance):\n    if task_instance.task_id == 't':\n        raise ValueError('no quota')\n"
    )
    attempts = hooked(world, TaskSpec(task_id="t"), TaskSpec(task_id="a"))
    world.until(0)
    run = trigger(world)
    world.until(0)
    assert [attempt.task_id for attempt in attempts] == ["a"]
    assert "the cluster policy task_instance_mutation_hook failed at" in why(
        world, run
    ) and "line 3: ValueError: no quota" in why(world, run)
    write_policies(POLICIES)
    world.dag("h", NullTimetable(), tasks=(TaskSpec(task_id="t"), TaskSpec(task_id="a")), mutates_instances=True)
    world.until(0)
    assert [attempt.task_id for attempt in attempts] == ["a", "t"], (
        "a file that was parsed again is asked about at once"
    )


def test_a_pool_that_does_not_exist_is_the_reason_until_somebody_makes_it(
    world: World, write_policies: Callable[[str], None]
) -> None:
    write_policies("def task_instance_mutation_hook(task_instance):\n    task_instance.pool = 'vast'\n")
    world.settings = replace(world.settings, sweep_s=1.0)  # as in production: pools are read again
    attempts = hooked(world)
    world.until(0)
    run = trigger(world)
    world.until(RETRY_H / 10)
    assert not attempts
    assert (
        "task_instance_mutation_hook set the pool 'vast', which does not exist; make it with: gnomon pools set vast SLOTS"
        in why(world, run)
    )
    set_pool(world, "vast", 1)
    world.until(RETRY_H / 5)
    assert [attempt.overrides and attempt.overrides.pool for attempt in attempts] == ["vast"]


def test_a_clear_between_question_and_answer_voids_the_answer(world: World, host: HookHost) -> None:
    attempts = hooked(world)
    world.until(0)
    host.holds = True
    run = trigger(world)
    world.until(0)
    request = world.ask("action", "h", run, action="clear", tasks=None)
    world.until(0)
    assert world.answer(request)[0] == "done" and len(host.kept) == 2
    host.answer_first(pool="small", pool_slots=2)
    world.until(0)
    assert not attempts, "the answer to the question from before the clear"
    host.answer_first(queue="new")
    world.until(0)
    assert [attempt.overrides for attempt in attempts] == [InstanceOverrides(try_number=0, queue="new")]
    assert rows(world, run)["t"].pool == "default_pool"


def test_a_scheduler_that_takes_over_asks_again(world: World, host: HookHost) -> None:
    attempts = hooked(world)
    world.until(0)
    host.holds = True
    trigger(world)
    world.until(0)
    world.schedulers[0].kill()
    world.until(0)
    assert len(host.kept) == 2
    host.kept.pop(0)
    host.answer_all()
    world.until(0)
    assert len(attempts) == 1


def test_a_process_without_a_host_says_so(world: World) -> None:
    world.host = None  # type: ignore[assignment]
    attempts = hooked(world)
    world.until(0)
    run = trigger(world)
    world.until(0)
    assert not attempts and "this process has no timetable host" in why(world, run)
