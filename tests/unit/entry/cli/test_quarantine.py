"""`gnomon quarantine`: what is set aside is listed, shown, put back and discarded; `explain` names it, and nothing waits for ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.health_reader import HealthReader
from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import Deferral
from gnomon.model.ids import group_of
from gnomon.model.quarantine import QuarantinedItem, dag_key, group_key
from gnomon.model.records import NewMail, TaskRecord
from gnomon.model.sentences import render
from gnomon.storage.store.coordination import mailbox, quarantine
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.housekeeping.retention import Retention, count_expired_rows, prepare_deletion
from gnomon.storage.store.ownership import group_state
from gnomon.testing import Play

GROUP = group_of("a")


@pytest.fixture
def running(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Task `only` of run `r` runs for long."""
    deployment.add(spec_of("a"))
    deployment.plays["only"] = Play(run_s=1e6)
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    return deployment


def read_task(deployment: Deployment) -> TaskRecord:
    with deployment.db.read() as tx:
        run = dag_runs.find_stored_run(tx, "a", "r")
        assert run is not None
        (task,) = group_state.load_tasks(tx, [run.run_pk])
    return task


def put(deployment: Deployment, *items: QuarantinedItem) -> list[int]:
    with deployment.db.write() as tx:
        quarantine.add_items(tx, items)
        return [item.quarantine_pk or 0 for item in quarantine.list_items(tx, 100)]


def about_task(deployment: Deployment, **fields: object) -> QuarantinedItem:
    """A message about the task that runs."""
    task = read_task(deployment)
    with deployment.db.read() as tx:
        (dag,) = [dag for dag in group_state.load_groups(tx, [GROUP]).dags if dag.dag_id == "a"]
    values = {
        "kind": "result",
        "group_no": GROUP,
        "reason": "no json",
        "error_class": "ValueError",
        "at": NOW,
        "body": b"{",
        "key": f"res:{task.attempt}",
        "dag_pk": dag.dag_pk,
        "dag_id": "a",
        "run_pk": task.run_pk,
        "run_id": "r",
        "task_id": "only",
        "task_no": task.task_no,
        "attempt": task.attempt,
    }
    return QuarantinedItem(**{**values, **fields})  # type: ignore[arg-type]


def test_list_and_show_name_the_message_and_why_it_is_there(gnomon: Gnomon, running: Deployment) -> None:
    assert gnomon("quarantine", "list").out == "nothing is in quarantine\n"
    (pk,) = put(running, about_task(running))
    (row,) = json.loads(gnomon("quarantine", "list", "-o", "json").out)
    assert (row["id"], row["kind"], row["dag_id"], row["run_id"], row["task_id"], row["reason"]) == (
        pk,
        "result",
        "a",
        "r",
        "only",
        "no json",
    )
    shown = json.loads(gnomon("quarantine", "show", str(pk), "-o", "json").out)
    assert (shown["body"], shown["size"], shown["error"], shown["attempt"]) == (
        "{",
        1,
        "ValueError",
        read_task(running).attempt,
    )
    assert "no json" in gnomon("quarantine", "show", str(pk)).out
    assert gnomon("quarantine", "show", "99").code == 1


def test_explain_of_task_run_and_dag_name_it(gnomon: Gnomon, running: Deployment) -> None:
    (pk,) = put(running, about_task(running))
    for place in (("a", "r", "only"), ("a", "r"), ("a",)):
        out = gnomon("explain", *place).out
        assert "a message (result) about task only is in quarantine" in out and f"gnomon quarantine show {pk}" in out


def test_explain_names_a_dag_and_a_group_that_are_set_aside(gnomon: Gnomon, running: Deployment) -> None:
    dag_pk = about_task(running).dag_pk or 0
    put(
        running,
        about_task(
            running,
            kind="dag",
            key=dag_key(dag_pk),
            run_pk=None,
            task_id=None,
            attempt=None,
            reason="a deadline behind the calendar",
        ),
    )
    put(
        running,
        about_task(
            running,
            kind="group",
            key=group_key(GROUP),
            dag_pk=None,
            dag_id=None,
            run_pk=None,
            reason="an error of ours",
        ),
    )
    for place in (("a", "r", "only"), ("a", "r"), ("a",)):
        out = " ".join(gnomon("explain", *place).out.split())
        assert (
            "a deadline behind the calendar" in out
            and f"has set group {GROUP} aside" in out
            and "an error of ours" in out
        )


def test_what_is_put_back_is_applied(gnomon: Gnomon, running: Deployment) -> None:
    task = read_task(running)
    result = AttemptResult(
        attempt_id=task.attempt or "", group_no=GROUP, run_pk=task.run_pk, task_no=task.task_no, outcome="success"
    )
    body = json.dumps(
        {"result": {name: getattr(result, name) for name in ("attempt_id", "group_no", "run_pk", "task_no", "outcome")}}
    )
    (pk,) = put(running, about_task(running, body=body.encode()))
    ended = gnomon("quarantine", "retry", str(pk))
    assert ended.code == 0 and "mailbox" in ended.out
    running.move()
    assert read_task(running).state == "success"
    assert gnomon("quarantine", "list").out == "nothing is in quarantine\n"
    assert "quarantine_retried" in gnomon("audit").out


def test_what_cannot_be_read_returns_when_it_is_put_back(gnomon: Gnomon, running: Deployment) -> None:
    (pk,) = put(running, about_task(running))
    gnomon("quarantine", "retry", str(pk))
    running.move()
    (row,) = json.loads(gnomon("quarantine", "list", "-o", "json").out)
    assert row["id"] != pk and "JSON" in row["reason"]


def test_a_discarded_result_fails_the_try_that_waits_for_it(gnomon: Gnomon, running: Deployment) -> None:
    (pk,) = put(running, about_task(running))
    ended = gnomon("quarantine", "discard", str(pk))
    assert ended.code == 0 and "the try fails" in ended.out
    running.move()
    task = read_task(running)
    assert task.state == "failed" and "discarded from quarantine by cli:" in (task.reason or "")
    assert "quarantine_discarded" in gnomon("audit").out


def test_a_discarded_event_of_a_trigger_fails_the_task_that_waits_for_it(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("a"))
    deployment.plays["only"] = Play(outcome="deferred", wait=Deferral(classpath="a.T", next_method="go_on"))
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    task = read_task(deployment)
    assert task.state == "deferred"
    body = json.dumps([[task.run_pk, task.task_no, -1, task.defer_seq, {"outcome": "timeout"}]])
    (pk,) = put(deployment, about_task(deployment, kind="trigger", body=body.encode(), key=None, attempt=None))
    assert "fail" in gnomon("quarantine", "discard", str(pk)).out
    deployment.move()
    assert read_task(deployment).state == "failed"


def test_a_dag_or_a_group_is_not_discarded_and_a_dag_can_be_tried_again(gnomon: Gnomon, running: Deployment) -> None:
    dag_pk = about_task(running).dag_pk or 0
    dag, group = put(
        running,
        about_task(running, kind="dag", key=dag_key(dag_pk)),
        about_task(running, kind="group", key=group_key(GROUP)),
    )
    assert (
        "set aside" in gnomon("quarantine", "discard", str(dag)).err
        and "set aside" in gnomon("quarantine", "discard", str(group)).err
    )
    assert gnomon("quarantine", "retry", str(group)).code == 1
    assert "loaded again" in gnomon("quarantine", "retry", str(dag)).out


@pytest.mark.parametrize("kind", ["dag", "group"])
@pytest.mark.parametrize("act", ["retry", "discard"])
def test_a_message_whose_kind_is_the_word_for_what_is_set_aside_is_a_message(
    gnomon: Gnomon, running: Deployment, kind: str, act: str
) -> None:
    """No release sends one: a scheduler finds it as it finds any kind that it does not know, also under the key of a DAG or group that is set aside."""
    dag_pk = about_task(running).dag_pk or 0
    put(
        running,
        about_task(running, kind="dag", key=dag_key(dag_pk)),
        about_task(running, kind="group", key=group_key(GROUP), dag_pk=None, dag_id=None),
    )
    set_aside = {row["id"] for row in json.loads(gnomon("quarantine", "list", "-o", "json").out)}
    with running.db.write() as tx:
        mailbox.send_messages(
            tx, [NewMail(GROUP, kind, "{}", key=key, at=NOW) for key in (None, "k", dag_key(dag_pk), group_key(GROUP))]
        )
    running.move()
    rows = [row for row in json.loads(gnomon("quarantine", "list", "-o", "json").out) if row["id"] not in set_aside]
    assert [row["kind"] for row in rows] == [kind] * 4
    ended = gnomon("quarantine", act, *(str(row["id"]) for row in rows))
    assert ended.code == 0 and all(line.startswith("message ") for line in ended.out.splitlines()), ended
    running.move()
    kinds = [
        row["kind"] for row in json.loads(gnomon("quarantine", "list", "-o", "json").out) if row["id"] not in set_aside
    ]
    assert kinds == ([kind] * 4 if act == "retry" else []), "what is put back fails again and returns"


def test_health_names_the_number_and_the_oldest(gnomon: Gnomon, running: Deployment, tmp_path: Path) -> None:
    put(running, about_task(running), about_task(running, key=None))
    reader = HealthReader(running.home.cfg, running.clock)
    (problem,) = [text for text in map(render, reader.read_health().problems) if "quarantine" in text]
    reader.close()
    assert problem.startswith("2 items are in quarantine, the oldest about DAG a since") and "no json" in problem


def test_old_messages_are_deleted_by_the_nightly_clean_and_what_is_set_aside_stays(running: Deployment) -> None:
    put(
        running,
        about_task(running),
        about_task(running, key="k", at=NOW + 10),
        about_task(running, kind="dag", key="dag:1"),
    )
    retention = Retention(NOW + 5, 0)
    before = count_expired_rows(running.db, "events", retention)
    assert prepare_deletion(running.db, "events", retention)() == before >= 1
    with running.db.read() as tx:
        assert [item.key for item in quarantine.list_items(tx, 10)] == ["k", "dag:1"]
