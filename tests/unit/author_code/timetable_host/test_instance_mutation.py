"""The hook of the cluster policies in a host: what it sees, what it may set, and what a bad one costs."""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.patience import PATIENCE_S

from gnomon.author_code.loading import cluster_policies
from gnomon.author_code.timetable_host import (
    MUTATE_INSTANCES,
    SubprocessTimetableHost,
    TimetableRequest,
    TimetableResponse,
    build_timetable_host_settings,
    instance_mutation,
    pack_arguments,
    unpack_value,
)
from gnomon.author_code.timetable_host.in_process import run_request
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import current_config, load_config, set_current_config
from gnomon.model.attempts import InstanceOverrides, RunFacts
from gnomon.model.instance_mutation import (
    MutationAnswer,
    MutationAnswers,
    MutationInstance,
    MutationQuestion,
    MutationTask,
)
from gnomon.model.instants import SECOND

NOW = 1_767_225_600 * SECOND
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Writes the cluster policies of this process."""
    before = current_config()
    set_current_config(load_config({}, tmp_path))
    (tmp_path / "config").mkdir()

    def write_text(text: str) -> Path:
        file = tmp_path / "config" / "airflow_local_settings.py"
        file.write_text(text)
        cluster_policies.forget_policies()
        return file

    yield write_text
    cluster_policies.forget_policies()
    set_current_config(before)


def ask_about(*task_ids: str, tries: int = 0, map_index: int = -1) -> MutationQuestion:
    run = RunFacts(
        run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=NOW, logical_at=NOW, conf={"queue": "of_conf"}
    )
    tasks = tuple(
        MutationTask(
            task_id=task_id, operator="BashOperator", owner="ann", queue="q", pool="p", pool_slots=1, priority_weight=5
        )
        for task_id in task_ids
    )
    return MutationQuestion(
        number=1,
        run=run,
        tasks=tasks,
        instances=tuple(MutationInstance(i, map_index, tries, 2) for i in range(len(tasks))),
    )


def request(question: MutationQuestion, number: int = 1, **fields: Any) -> TimetableRequest:
    return TimetableRequest(
        number=number, function=MUTATE_INSTANCES, arguments=pack_arguments(question=question), **fields
    )


def answers(question: MutationQuestion) -> tuple[MutationAnswer, ...]:
    response = run_request(request(question))
    assert response.error is None
    found: MutationAnswers = unpack_value(response, MutationAnswers)
    return found.answers


@pytest.mark.pure
def test_the_hook_sees_what_airflow_shows_it(write: Write) -> None:
    write("""
def task_instance_mutation_hook(task_instance, dag_run):
    ti = task_instance
    seen = [ti.dag_id, ti.run_id, ti.task_id, ti.map_index, ti.try_number, ti.max_tries, ti.queue, ti.pool, ti.pool_slots, ti.priority_weight,
            ti.operator, ti.executor, ti.state, ti.task.owner, ti.task.task_type, ti.logical_date.isoformat(), dag_run.run_type.value,
            ti.get_dagrun() is dag_run, ti.dag_run.conf["queue"], ti.key.primary, repr(ti)]
    ti.queue = repr(seen)
""")
    (answer,) = answers(ask_about("t", tries=1, map_index=3))
    assert isinstance(answer, InstanceOverrides)
    assert answer.queue == repr(
        [
            "d",
            "r",
            "t",
            3,
            1,
            2,
            "q",
            "p",
            1,
            5,
            "BashOperator",
            None,
            None,
            "ann",
            "BashOperator",
            "2026-01-01T00:00:00+00:00",
            "manual",
            True,
            "of_conf",
            ("d", "t", "r", 3),
            "<TaskInstance: d.t r [3] [None]>",
        ]
    )


@pytest.mark.pure
def test_the_hook_sees_the_executor_of_the_task_and_none_means_the_default(write: Write) -> None:
    write("""
def task_instance_mutation_hook(ti):
    ti.queue = f"{ti.executor} {ti.task.executor}"
    ti.executor = None
""")
    question = ask_about("t")
    named = replace(question, tasks=(replace(question.tasks[0], executor="big"),))
    assert answers(named) == (InstanceOverrides(try_number=0, queue="big big", executor="LocalExecutor"),)
    assert answers(question) == (InstanceOverrides(try_number=0, queue="None None"),)


@pytest.mark.pure
def test_only_what_differs_is_an_answer_and_other_attributes_are_named(write: Write) -> None:
    write("""
def task_instance_mutation_hook(ti):
    ti.queue, ti.pool, ti.pool_slots, ti.priority_weight, ti.executor = "q", "other", 2, 5, "LocalExecutor"
    ti.run_as_user = "bob"
    ti.max_tries = 9
    ti.executor_config["a"] = 1
""")
    assert answers(ask_about("t", tries=1)) == (
        InstanceOverrides(
            try_number=1,
            pool="other",
            pool_slots=2,
            executor="LocalExecutor",
            without_effect=("max_tries", "run_as_user"),
        ),
    )


@pytest.mark.pure
@pytest.mark.parametrize(
    ("assignment", "fault"),
    [
        ("ti.queue = 3", "set queue to 3; set a text"),
        ("ti.pool = ''", "set pool to ''; set a text"),
        ("ti.pool = None", "set pool to None; set a text"),
        ("ti.pool_slots = 0", "set pool_slots to 0; set an integer of at least 1"),
        ("ti.pool_slots = True", "set pool_slots to True; set an integer of at least 1"),
        ("ti.priority_weight = 2**40", "set priority_weight to 1099511627776; set an integer"),
        ("ti.priority_weight = 1.5", "set priority_weight to 1.5; set an integer"),
        ("ti.executor = 'x' * 99 and object", "set executor to <class 'object'>; set a text"),
    ],
)
def test_a_value_of_another_type_is_no_answer(write: Write, assignment: str, fault: str) -> None:
    write(f"def task_instance_mutation_hook(ti):\n    {assignment}\n")
    assert answers(ask_about("t")) == (f"task_instance_mutation_hook {fault}",)


@pytest.mark.pure
def test_an_error_is_the_answer_for_its_instance_alone(write: Write) -> None:
    file = write("""
from airflow.exceptions import AirflowClusterPolicyViolation
import sys
def task_instance_mutation_hook(ti):
    if ti.task_id == "raises":
        raise ValueError("no quota")
    if ti.task_id == "exits":
        sys.exit(3)
    if ti.task_id == "refuses":
        raise AirflowClusterPolicyViolation("not on Fridays")
""")
    raised, exited, refused, good = answers(ask_about("raises", "exits", "refuses", "good"))
    assert (
        raised
        == f"the cluster policy task_instance_mutation_hook failed at {file}, line 6: ValueError: no quota; correct the policy, or remove it"
    )
    assert (
        exited
        == f"the cluster policy task_instance_mutation_hook failed at {file}, line 8: SystemExit: 3; correct the policy, or remove it"
    )
    assert (refused, good) == ("not on Fridays", InstanceOverrides(try_number=0))


@pytest.mark.pure
def test_policies_that_cannot_be_imported_are_the_error_of_the_request(write: Write) -> None:
    write("raise RuntimeError('no')\n")
    response = run_request(request(ask_about("t")))
    assert (
        response.error is not None
        and response.error.startswith("the cluster policies cannot be loaded: ")
        and "line 1: RuntimeError: no" in response.error
    )


@pytest.mark.pure
def test_a_request_returns_what_it_has_when_its_time_is_over(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("def task_instance_mutation_hook(ti):\n    ti.queue = 'x'\n")
    monkeypatch.setattr(instance_mutation, "BUDGET_S", 0.0)
    assert answers(ask_about("a", "b", "c")) == (InstanceOverrides(try_number=0, queue="x"),)


def collect(host: SubprocessTimetableHost, count: int) -> dict[int, TimetableResponse]:
    """That many responses, by number."""
    clock, found = SystemClock(), {}
    ends_at = clock.monotonic() + PATIENCE_S
    while len(found) < count:
        found.update({response.number: response for response in host.collect()})
        assert clock.monotonic() < ends_at, f"{len(found)} of {count} responses"
        if len(found) < count:
            seconds = host.wake_in_s()
            select.select(host.filenos(), [], [], 0.5 if seconds is None else min(seconds, 0.5))
    return found


@pytest.fixture
def host(tmp_path: Path) -> Iterator[SubprocessTimetableHost]:
    made = SubprocessTimetableHost(
        build_timetable_host_settings(load_config({"GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": "0.6"}, tmp_path)),
        SystemClock(),
    )
    yield made
    made.close()


def test_a_call_that_hangs_is_named_with_its_line_and_the_answers_before_it_count(
    write: Write, host: SubprocessTimetableHost
) -> None:
    file = write(
        "import time\ndef task_instance_mutation_hook(ti):\n    while ti.task_id == 'hangs':\n        time.sleep(0.01)\n"
    )
    host.ask(request(ask_about("good", "hangs", "later")))
    response = collect(host, 1)[1]
    assert response.is_process_ended and response.error is None
    good, hung = unpack_value(response, MutationAnswers).answers
    assert good == InstanceOverrides(try_number=0)
    assert isinstance(hung, str) and hung.startswith(
        "task_instance_mutation_hook did not answer within 0.6 s (it was at "
    )
    assert hung.endswith("; check the cluster policies") and f"{file}, line " in hung


def test_a_hook_that_hung_is_called_in_a_process_of_its_own(write: Write, host: SubprocessTimetableHost) -> None:
    write(
        "import time\ndef task_instance_mutation_hook(ti):\n    while ti.task_id == 'hangs':\n        time.sleep(0.01)\n"
    )
    host.ask(request(ask_about("hangs"), 1, file="/a.py"))
    collect(host, 1)
    host.ask(request(ask_about("hangs"), 2, file="/b.py"))
    other = TimetableRequest(
        number=3, function="gnomon.rules.planning.forecast:list_upcoming_runs", arguments=pack_arguments(nothing=1)
    )
    host.ask(other)
    assert collect(host, 1).keys() == {3}, "a request about something else does not wait for the hook"
    assert collect(host, 1).keys() == {2}


def test_a_hook_that_hangs_in_compiled_code_is_the_error_of_the_request(
    write: Write, host: SubprocessTimetableHost
) -> None:
    file = write("import itertools\ndef task_instance_mutation_hook(ti):\n    all(itertools.repeat(True))\n")
    host.ask(request(ask_about("t")))
    response = collect(host, 1)[1]
    assert (
        response.error
        == f"task_instance_mutation_hook did not answer within 0.6 s (it was at {file}, line 3); check the cluster policies"
    )


def test_ten_thousand_instances_are_one_request(write: Write, host: SubprocessTimetableHost) -> None:
    """The answers may come in parts; each part is far below the limit of a message."""
    write("def task_instance_mutation_hook(ti):\n    ti.queue = f'queue-{ti.map_index}'\n")
    question = ask_about("m")
    left = [MutationInstance(0, index, 0, 0) for index in range(10_000)]
    found: list[MutationAnswer] = []
    number = 0
    while left:
        number += 1
        host.ask(
            request(MutationQuestion(number=1, run=question.run, tasks=question.tasks, instances=tuple(left)), number)
        )
        response = collect(host, 1)[number]
        found += unpack_value(response, MutationAnswers).answers
        assert len(response.value) < 2_000_000
        left = left[len(unpack_value(response, MutationAnswers).answers) :]
    assert found[9_999] == InstanceOverrides(try_number=0, queue="queue-9999") and len(found) == 10_000
