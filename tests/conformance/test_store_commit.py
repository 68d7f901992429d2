"""What one step of the engine changes is stored whole or not at all, and reads back as it was."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest
from tests.conformance.storeworld import AT, World, attempt, plan_change, slot, task

from gnomon.model.attempts import XCOM_MAX_BYTES, AttemptResult, XComItem
from gnomon.model.ids import TaskKey
from gnomon.model.records import Changes, EventRecord, NewMail, RunRecord, TaskRecord
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.storage.store import PoolExhausted, RowsMissing, XComTooLarge
from gnomon.storage.store.admin import pools
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs, event_log, xcom_values
from gnomon.storage.store.dag_records.rendered_fields import read_rendered_fields
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags
from gnomon.storage.store.parsed_files import dag_files


@pytest.fixture
def run(world: World) -> RunRecord:
    world.dag()
    return world.run()


def result(run: RunRecord, *items: tuple[str, str], number: int = 0) -> AttemptResult:
    pushed = tuple(XComItem(key=key, value=value) for key, value in items)
    return AttemptResult(attempt_id="a", group_no=0, run_pk=run.run_pk, task_no=number, outcome="success", xcoms=pushed)


def test_a_run_reads_back_as_it_was_written(world: World, run: RunRecord) -> None:
    changed = replace(
        run,
        state=DagRunState.RUNNING,
        started_at=AT + 1,
        reason="why",
        version_pk=run.version_pk,
        clear_number=2,
        queued_at=AT + 2,
        conf={"a": [1, None, "ü"], "b": {}},
    )
    world.apply(Changes(runs=[changed]))
    assert world.state().runs == [changed]


@pytest.mark.parametrize("state", [*TaskInstanceState, None])
def test_a_task_instance_reads_back_as_it_was_written(
    world: World, run: RunRecord, state: TaskInstanceState | None
) -> None:
    row = task(
        run,
        1,
        state,
        try_number=3,
        max_tries=4,
        seq=5,
        attempt="a-5",
        worker="w-1",
        defer_seq=2,
        pool_slots=2,
        priority=-7,
        resume_at=AT + 3,
        started_at=AT,
        ended_at=AT + 4,
        reason="because",
    )
    world.apply(Changes(tasks=[task(run, 1)]))
    world.apply(Changes(tasks=[row]))
    assert world.state().tasks == [row]
    with world.db.read() as tx:
        assert dag_runs.list_task_states(tx, run.run_pk) == [row]


def test_a_mapped_task_instance_reads_back_as_it_was_written_and_takes_the_place_of_the_unexpanded_one(
    world: World, run: RunRecord
) -> None:
    unexpanded = task(run)
    mapped = replace(
        task(run), map_index=0, return_length=-1, rendered_map_index="a\u00e9", factor_lengths=((2, 3), (4,))
    )
    rows = [mapped, replace(mapped, map_index=1, factor_lengths=None)]
    world.apply(Changes(tasks=[unexpanded]))
    world.apply(Changes(tasks_deleted=[unexpanded.key], tasks=rows))
    assert world.state().tasks == rows
    with world.db.read() as tx:
        assert dag_runs.list_task_states(tx, run.run_pk) == rows
    with pytest.raises(RowsMissing):
        world.apply(Changes(tasks_deleted=[unexpanded.key]))


def test_an_attempt_reads_back_as_it_was_written(world: World, run: RunRecord) -> None:
    made = [attempt(run, 0, 1), attempt(run, 0, 2), attempt(run, 1, 1)]
    world.apply(Changes(attempts=made))
    with world.db.read() as tx:
        assert dag_runs.list_attempts(tx, run.run_pk) == made
        assert dag_runs.list_attempts(tx, run.run_pk, 0) == made[:2]
        assert dag_runs.list_attempts(tx, run.run_pk, 1, -1) == made[2:]


def test_a_batch_that_names_a_missing_run_is_refused_whole(world: World, run: RunRecord) -> None:
    gone = replace(run, run_pk=run.run_pk + 1000)
    for changes in (Changes(runs=[run, gone]), Changes(tasks=[task(run), task(gone)])):
        with pytest.raises(RowsMissing, match="1 of 2"):
            world.apply(changes)
    assert world.state().tasks == []


def test_an_attempt_is_recorded_exactly_once(world: World, run: RunRecord) -> None:
    world.apply(Changes(attempts=[attempt(run)]))
    with pytest.raises(RowsMissing, match="attempts"):
        world.apply(Changes(tasks=[task(run)], attempts=[attempt(run)]))
    assert world.state().tasks == []


def test_a_large_batch_is_one_batch(world: World) -> None:
    world.dag(tasks=[f"t{n}" for n in range(2000)])
    run = world.run()
    rows = [task(run, n, TaskInstanceState.SUCCESS) for n in range(2000)]
    world.apply(Changes(tasks=rows, attempts=[attempt(run, n) for n in range(2000)]))
    assert world.state().tasks == rows


def test_xcoms_are_replaced_by_a_later_push_and_cleared_before_a_new_attempt(world: World, run: RunRecord) -> None:
    world.apply(
        Changes(results=[result(run, ("k", "1"), ("k", "2"), ("other", "3")), result(run, ("k", "9"), number=1)])
    )
    with world.db.read() as tx:
        assert [(x.task_id, x.value) for x in xcom_values.read_xcoms(tx, run, "k")] == [("a", "2"), ("b", "9")]
    world.apply(Changes(results=[result(run, ("k", '"new"'))], xcom_clears=[TaskKey(run.run_pk, 0)]))
    with world.db.read() as tx:
        assert [(x.task_id, x.key, x.value) for x in xcom_values.list_run_xcoms(tx, run)] == [
            ("a", "k", '"new"'),
            ("b", "k", "9"),
        ]


def test_rendered_fields_are_replaced_by_those_of_a_later_attempt_and_go_with_their_run(
    world: World, run: RunRecord
) -> None:
    def fields(text: str, number: int = 0) -> AttemptResult:
        return msgspec.structs.replace(result(run, number=number), rendered_fields=text)

    first, second = TaskKey(run.run_pk, 0), TaskKey(run.run_pk, 1)
    world.apply(Changes(results=[fields('{"a": 1}'), fields('{"a": 2}'), fields('{"b": "é"}', 1)]))
    with world.db.read() as tx:
        assert [read_rendered_fields(tx, key) for key in (first, second)] == [{"a": 2}, {"b": "é"}]
    world.apply(Changes(results=[fields('{"a": 3}'), result(run, ("k", "1"), number=1)]))
    with world.db.read() as tx:
        assert [read_rendered_fields(tx, key) for key in (first, second)] == [{"a": 3}, {"b": "é"}]
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_runs(tx, [run.run_pk])
    with world.db.read() as tx:
        assert read_rendered_fields(tx, first) == {}


@pytest.mark.parametrize("value", ['"', "\\", '{"a": "b\\\\c"}', "", " x ", "NULL", "{}", "a,b", "zwei\nZeilen é 😀"])
def test_a_text_comes_back_as_it_was_written_in_a_batch(world: World, run: RunRecord, value: str) -> None:
    world.apply(Changes(results=[result(run, ("k", value), ("l", "other"))]))
    with world.db.read() as tx:
        assert [x.value for x in xcom_values.list_run_xcoms(tx, run)] == [value, "other"]


def test_xcoms_of_a_mapped_task_are_read_by_index_and_by_place(world: World, run: RunRecord) -> None:
    pushed = [msgspec.structs.replace(result(run, ("k", str(index))), map_index=index) for index in (0, 2, 5, 7)]
    world.apply(Changes(results=[*pushed, result(run, ("k", "other"), number=1)]))
    with world.db.read() as tx:

        def by_index(*indexes: int) -> list[str]:
            return [x.value for x in xcom_values.read_xcoms(tx, run, "k", ["a"], map_indexes=indexes)]

        assert by_index(5) == ["5"] and by_index(7, 0, 1) == ["0", "7"] and by_index(3) == [] == by_index()
        assert [x.value for x in xcom_values.read_xcoms(tx, run, "k", map_indexes=(2,))] == ["2"]
        assert xcom_values.count_values(tx, run, "a", "k") == 4 and xcom_values.count_values(tx, run, "a", "l") == 0
        assert (
            xcom_values.read_batch(tx, run, "a", "k", 1, 2) == ["2", "5"]
            and xcom_values.read_batch(tx, run, "a", "k", 4, 2) == []
        )
        for start, total in ((0, 4), (1, 4), (0, 3)):
            assert xcom_values.read_dense_batch(tx, run, "a", "k", start, 2, total) is None


def test_the_origin_of_a_value_is_the_attempt_that_stored_it(world: World, run: RunRecord) -> None:
    row = TaskRecord(
        run.run_pk, 1, -1, TaskInstanceState.SUCCESS, try_number=1, seq=3, defer_seq=2, started_at=1, ended_at=9
    )
    world.apply(Changes(tasks=[row], results=[result(run, ("k", "1"), number=1)]))
    with world.db.read() as tx:
        assert xcom_values.find_origin(tx, "d", run.run_id, "b", "k") == xcom_values.XComOrigin(
            run.run_pk, 1, -1, "k", 3, 2, 9
        )
        assert (
            xcom_values.find_origin(tx, "d", run.run_id, "b", "l")
            is None
            is xcom_values.find_origin(tx, "d", "none", "b", "k")
        )


def test_an_xcom_of_an_earlier_run_is_found_when_asked_for(world: World) -> None:
    dag = world.dag()
    with world.db.scheduler_write(world.me) as tx:
        first, second, third = commit.create_planned_runs(tx, [plan_change(dag, slot(0), slot(1), slot(2))], AT)[
            0
        ].created
    world.apply(
        Changes(results=[result(first, ("k", "1")), result(first, ("k", "1b"), number=1), result(second, ("k", "2"))])
    )
    with world.db.read() as tx:
        assert xcom_values.read_xcoms(tx, third, "k", ["a"]) == []
        found = xcom_values.read_xcoms(tx, third, "k", ["b", "a"], include_prior=True)
        assert [(x.task_id, x.value, x.run_id) for x in found] == [("b", "1b", first.run_id), ("a", "2", second.run_id)]
        assert {x.value for x in xcom_values.read_xcoms(tx, third, "k", include_prior=True)} == {"1b", "2"}
        assert [x.value for x in xcom_values.read_xcoms(tx, first, "k", include_prior=True)] == ["1", "1b"]


def test_an_xcom_over_the_limit_is_refused_with_the_remedy(world: World, run: RunRecord) -> None:
    with pytest.raises(XComTooLarge, match="store the value elsewhere"):
        world.apply(Changes(tasks=[task(run)], results=[result(run, ("k", "x" * (XCOM_MAX_BYTES + 1)))]))
    assert world.state().tasks == []


def test_the_limit_of_an_xcom_counts_bytes_of_text_that_is_not_ascii(world: World, run: RunRecord) -> None:
    largest = "é" * (XCOM_MAX_BYTES // 2)
    world.apply(Changes(tasks=[task(run)], results=[result(run, ("k", largest))]))
    with pytest.raises(XComTooLarge, match=f"takes {XCOM_MAX_BYTES + 1} bytes, the limit is {XCOM_MAX_BYTES} bytes"):
        world.apply(Changes(tasks=[task(run)], results=[result(run, ("k", largest + "x"))]))


def test_a_pool_is_never_overdrawn(world: World, run: RunRecord) -> None:
    with world.db.write() as tx:
        pools.set_pool(tx, "small", 2)
    world.apply(Changes(pool_used={"small": 2}))
    with pytest.raises(PoolExhausted) as refused:
        world.apply(Changes(tasks=[task(run)], pool_used={"small": 1, "default_pool": 1}))
    assert refused.value.pool == "small"
    assert used(world) == {"default_pool": 0, "small": 2}
    assert world.state().tasks == []
    world.apply(Changes(pool_used={"small": -2}))
    assert used(world) == {"default_pool": 0, "small": 0}


def test_a_pool_without_a_bound_takes_all_and_one_made_smaller_still_takes_back(world: World) -> None:
    with world.db.write() as tx:
        pools.set_pool(tx, "wide", -1)
    world.apply(Changes(pool_used={"wide": 100_000}))
    with world.db.write() as tx:
        pools.set_pool(tx, "wide", 1)
    world.apply(Changes(pool_used={"wide": -1}))
    assert used(world)["wide"] == 99_999


def test_an_unknown_pool_is_refused(world: World) -> None:
    with pytest.raises(PoolExhausted, match="does not exist"):
        world.apply(Changes(pool_used={"nowhere": 1}))


def used(world: World) -> dict[str, int]:
    with world.db.read() as tx:
        return {pool.name: pool.used for pool in pools.list_pools(tx)}


def test_tallies_add_up_without_counting(world: World, run: RunRecord) -> None:
    queued, running = (run.dag_pk, DagRunState.QUEUED), (run.dag_pk, DagRunState.RUNNING)
    world.apply(Changes(tallies={queued: -1, running: 1}))
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, [run.dag_pk])[run.dag_pk] == {DagRunState.RUNNING: 1}


def test_mail_with_a_key_arrives_once_and_goes_by_its_number(world: World, run: RunRecord) -> None:
    messages = [
        NewMail(3, "result", '{"n": 1}', "res:1", AT),
        NewMail(3, "result", '{"n": 2}', "res:1"),
        NewMail(4, "x", "{}"),
    ]
    with world.db.write() as tx:
        before = {message.mail_pk for message in mailbox.read_messages(tx, range(64), 100)}
        mailbox.send_messages(tx, messages)
    with world.db.read() as tx:
        found = [message for message in mailbox.read_messages(tx, range(64), 100) if message.mail_pk not in before]
        assert [(message.group_no, message.kind, message.key, message.body) for message in found] == [
            (3, "result", "res:1", '{"n": 1}'),
            (4, "x", None, "{}"),
        ]
        assert [message.group_no for message in mailbox.read_messages(tx, [3], 100)] == [3]
        assert len(mailbox.read_messages(tx, range(64), 1)) == 1
    world.apply(Changes(mail_deleted=[found[0].mail_pk]))
    with pytest.raises(RowsMissing, match="messages"):
        world.apply(Changes(tasks=[task(run)], mail_deleted=[found[0].mail_pk]))
    assert world.state().tasks == []


def test_a_request_is_answered_once(world: World) -> None:
    dag = world.dag()
    with world.db.write() as tx:
        asked = mailbox.submit_request(
            tx, by="me", kind="clear", body={"dag_pk": dag.dag_pk}, groups=[dag.group_no], at=AT
        )
        assert mailbox.read_answer(tx, asked) == ("pending", None)
        messages = [message for message in mailbox.read_messages(tx, [dag.group_no], 10) if message.kind == "action"]
    assert [json.loads(message.body) for message in messages] == [
        {"action": "clear", "dag_pk": dag.dag_pk, "request_pk": asked}
    ]
    world.apply(Changes(answers=[(asked, "done", '{"cleared": 3}')]))
    world.apply(Changes(answers=[(asked, "refused", "{}")]))
    with world.db.read() as tx:
        assert mailbox.read_answer(tx, asked) == ("done", '{"cleared": 3}')


def test_the_audit_log_reads_newest_first(world: World, run: RunRecord) -> None:
    lines = [EventRecord(AT + n, f"kind_{n}", run.dag_pk, run.run_pk, n, n - 1, "me", "body") for n in range(3)]
    world.apply(Changes(events=lines))
    with world.db.read() as tx:
        assert event_log.list_events(tx, run_pk=run.run_pk)[:3] == lines[::-1]
        assert event_log.list_events(tx, dag_pk=run.dag_pk, limit=1) == lines[2:]
        assert event_log.list_events(tx, limit=2) == lines[:0:-1]


def test_the_owner_pauses_a_dag_with_the_reason(world: World, run: RunRecord) -> None:
    before = world.read_dag("d")
    world.apply(Changes(dag_paused=[(run.dag_pk, "three runs in a row failed")]))
    after = world.read_dag("d")
    assert (after.paused, after.error, after.plan_seq) == (True, "three runs in a row failed", before.plan_seq + 1)


def test_a_file_found_unfit_to_fork_stays_so_until_its_inputs_change(world: World, run: RunRecord) -> None:
    world.apply(Changes(fresh_files=[("/dags/d.py", "a thread was left")]))
    assert world.read_dag("d").fresh == "a thread was left"
    with world.db.read() as tx:
        assert [row.inputs.fresh for row in dag_files.list_files(tx)] == ["a thread was left"]


def test_a_deleted_run_leaves_nothing_but_the_log(world: World, run: RunRecord) -> None:
    kept = world.run(run_id="kept")
    for one in (run, kept):
        world.apply(Changes(tasks=[task(one)], attempts=[attempt(one)], results=[result(one, ("k", "1"))]))
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_runs(tx, [run.run_pk])
    for table in ("dag_run", "task_instance", "attempt", "xcom"):
        assert world.count(f"SELECT count(*) FROM {table} WHERE run_pk = {run.run_pk}") == 0
        assert world.count(f"SELECT count(*) FROM {table} WHERE run_pk = {kept.run_pk}") == 1
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, [run.dag_pk])[run.dag_pk] == {DagRunState.QUEUED: 1}


def test_a_deleted_dag_leaves_no_row_and_its_file_is_parsed_again(world: World, run: RunRecord) -> None:
    world.apply(Changes(tasks=[task(run)]))
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_dags(tx, [run.dag_pk])
    for table in ("dag", "dag_run", "dag_version", "task_name", "run_tally", "task_instance"):
        assert world.count(f"SELECT count(*) FROM {table}") == 0, table
    with world.db.read() as tx:
        assert dag_files.list_stale_files(tx) == ["/dags/d.py"]


def test_the_history_of_a_dag_goes_in_steps_of_bounded_length(
    world: World, run: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit, "DELETED_RUNS_MAX", 2)
    ended = [world.run(run_id=f"r{n}") for n in range(3)]
    for one in ended:
        world.apply(
            Changes(
                runs=[replace(one, state=DagRunState.SUCCESS, ended_at=AT)],
                tasks=[task(one)],
                tallies={(one.dag_pk, DagRunState.QUEUED): -1, (one.dag_pk, DagRunState.SUCCESS): 1},
            )
        )
    left = []
    for more in (True, False):
        with world.db.scheduler_write(world.me) as tx:
            assert commit.delete_history(tx, run.dag_pk) is more
        left.append(world.count("SELECT count(*) FROM task_instance"))
    assert left == [1, 0]
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, [run.dag_pk])[run.dag_pk] == {DagRunState.QUEUED: 1}
        assert [found.run_id for found in dag_runs.list_runs(tx, "d")] == [run.run_id]


def test_no_changes_write_nothing(world: World) -> None:
    world.apply(Changes())
    assert world.state().runs == []
