"""The monitor on both databases: what rules raise and resolve, which message carries it, how often it is tried, and who sends it."""

from __future__ import annotations

import json

import pytest
from tests.conformance.monitorworld import MonitorWorld, channel, rule
from tests.conformance.storeworld import AT, World, parsed, spec

from gnomon.changes.alert_channels.webhook_post import DeliveryFailed
from gnomon.model.alerts import AlertItem, AlertRuleSpec, DeliveryBody
from gnomon.model.instants import SECOND
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.records import Changes
from gnomon.model.sentences import render
from gnomon.model.spec import ParseFailure
from gnomon.model.states import DagRunState
from gnomon.storage.store.alert_records import alert_deliveries, alerts
from gnomon.storage.store.coordination import quarantine


@pytest.fixture
def deployment(world: World) -> MonitorWorld:
    return MonitorWorld(world)


def test_a_failure_is_told_once_with_its_explanation_and_kept_in_the_audit_log(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure"), base_url="https://g.example") as monitor:
        deployment.round(monitor)
        run = deployment.fail(deployment.start())
        deployment.let(monitor, 12)
        ((name, delivery),) = deployment.sent
        (item,) = delivery.body.items
        assert name == "ops"
        assert item.text == f"DAG d: run {run.run_id} failed: task a failed"
        assert render(item.reasons[0]).startswith(f"run {run.run_id} ended in state failed at ")
        assert (item.command, item.link) == (
            f"gnomon explain d {run.run_id}",
            f"https://g.example/?dag_id=d&run_id={run.run_id}",
        )
        deployment.let(monitor, 400)
        assert len(deployment.sent) == 1
    (raised,), (sent,) = deployment.audit("alert_raised"), deployment.audit("alert_sent")
    assert (raised.by, raised.run_pk, json.loads(raised.body)["channels"]) == ("monitor", run.run_pk, ["ops"])
    assert json.loads(sent.body)["delivery"] == delivery.uid
    assert deployment.world.count("SELECT count(*) FROM alert_event") == 0


def test_failures_of_one_dag_share_messages_and_other_dags_have_their_own(deployment: MonitorWorld) -> None:
    for dag_id in ("d", "other"):
        deployment.world.dag(dag_id)
    with deployment.monitor(rule("failure")) as monitor:
        deployment.round(monitor)
        for _ in range(3):
            deployment.fail(deployment.start())
        deployment.fail(deployment.start("other"))
        deployment.let(monitor, 12)
        assert sorted(delivery.body.count for _, delivery in deployment.sent) == [1, 3]
        deployment.fail(deployment.start())
        deployment.let(monitor, 60)
        deployment.fail(deployment.start())
        deployment.let(monitor, 200)
        assert len(deployment.sent) == 2  # not before group_interval
        deployment.let(monitor, 60)
        assert [delivery.body.count for _, delivery in deployment.sent[2:]] == [2]


@pytest.mark.parametrize(("group_by", "counts"), [("rule", [4]), ("reason", [1, 3]), ("none", [1, 1, 1, 1])])
def test_alerts_are_grouped_as_the_rule_says(deployment: MonitorWorld, group_by: str, counts: list[int]) -> None:
    for number in range(4):
        deployment.world.dag(f"d{number}")
    with deployment.monitor(rule("failure", group_by=group_by)) as monitor:
        deployment.round(monitor)
        for number in range(3):
            deployment.fail(deployment.start(f"d{number}"), f"no connection to host 10.0.0.{number}")
        deployment.fail(deployment.start("d3"), "disk full")
        deployment.let(monitor, 20)
    assert sorted(delivery.body.count for _, delivery in deployment.sent) == counts


def test_a_channel_sends_no_more_than_its_limit_and_then_one_message_for_the_rest(deployment: MonitorWorld) -> None:
    for number in range(8):
        deployment.world.dag(f"d{number}")
    with deployment.monitor(rule("failure"), channels={"ops": channel(max_per_hour=2)}) as monitor:
        deployment.round(monitor)
        for number in range(8):
            deployment.fail(deployment.start(f"d{number}"))
        deployment.let(monitor, 30)
        assert [delivery.body.count for _, delivery in deployment.sent] == [8]  # more than the room: one message
        for number in range(8):
            deployment.fail(deployment.start(f"d{number}"))
            deployment.let(monitor, 12)
        assert len(deployment.sent) == 2
        deployment.let(monitor, 3700)
        assert sum(delivery.body.count for _, delivery in deployment.sent) == 16
        assert len(deployment.sent) <= 4


def test_more_channels_than_threads_all_get_their_message(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    names = tuple(f"c{number}" for number in range(9))
    with deployment.monitor(rule("failure", to=names), channels={name: channel(name) for name in names}) as monitor:
        deployment.round(monitor)
        deployment.fail(deployment.start())
        deployment.let(monitor, 18)
    assert sorted(name for name, _ in deployment.sent) == list(names)


def test_a_failed_try_is_repeated_later_with_the_same_key_and_given_up_after_the_last(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure"), channels={"ops": channel(retries=2)}) as monitor:
        deployment.round(monitor)
        deployment.errors = [DeliveryFailed("503"), DeliveryFailed("slow down", retry_after_s=100)]
        deployment.fail(deployment.start())
        deployment.let(monitor, 60)
        assert deployment.sent == []
        deployment.let(monitor, 90)
        assert [(delivery.uid, delivery.tries) for _, delivery in deployment.sent] == [("uid-1", 2)]
        deployment.errors = [DeliveryFailed(str(status)) for status in (500, 501, 502)]
        deployment.fail(deployment.start())
        deployment.let(monitor, 400)
    (given_up,) = deployment.audit("alert_not_sent")
    assert (json.loads(given_up.body)["error"], json.loads(given_up.body)["tries"]) == ("502", 3)
    assert len(deployment.sent) == 1


def test_an_error_that_a_repetition_does_not_mend_is_not_repeated(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure")) as monitor:
        deployment.round(monitor)
        deployment.errors = [DeliveryFailed("404 Not Found", is_final=True)]
        deployment.fail(deployment.start())
        deployment.let(monitor, 100)
    with deployment.world.db.read() as tx:
        (delivery,) = alert_deliveries.list_newest_deliveries(tx, 10)
    assert (delivery.state, delivery.tries, delivery.error) == ("failed", 1, "404 Not Found")


def test_a_second_monitor_stands_by_and_sends_again_what_a_dead_one_was_sending(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    lost: list[str] = []

    class Killed(BaseException):
        """The process ends while it sends, before it can store the end of the try."""

    with deployment.monitor(rule("failure")) as first, deployment.monitor(rule("failure"), name="m2") as second:
        deployment.round(first)
        deployment.round(second)
        first._dispatch._send = lambda _, delivery: lost.append(delivery.uid)
        first._dispatch.list_ended = list  # type: ignore[method-assign]  # it dies before it reads how the try ended
        deployment.fail(deployment.start())
        for _ in range(13):
            deployment.clock.advance(1)
            first.tick()
            deployment.round(second)
        assert (lost, deployment.sent) == (["uid-1"], [])
        _let_lease_end(deployment)
        deployment.let(second, 3)
        assert [delivery.uid for _, delivery in deployment.sent] == ["uid-1"]
        first._dispatch.list_ended = lambda: [(deployment.sent[0][1], None)]  # type: ignore[method-assign]
        first.tick()
        assert not first._is_holder  # it was frozen, not dead: its commit is refused
    assert len(deployment.audit("alert_sent")) == 1


def _let_lease_end(deployment: MonitorWorld) -> None:
    """The heartbeat of the holder is old by the database's clock, which is real."""
    with deployment.world.db.write() as tx:
        tx._connection.execute_raw("UPDATE service_lease SET beat_at = beat_at - 60000000")


def test_facts_are_applied_by_the_next_monitor_when_none_ran(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    deployment.fail(deployment.start())
    with deployment.monitor(rule("failure")) as monitor:
        deployment.let(monitor, 12)
    assert len(deployment.sent) == 1


def test_a_later_success_resolves_a_failure(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure"), group_interval_s=0.0) as monitor:
        deployment.round(monitor)
        run = deployment.fail(deployment.start())
        deployment.let(monitor, 12)
        deployment.succeed(run)
        deployment.let(monitor, 20)
        assert deployment.sentences()[1:] == [f"+DAG d: run {run.run_id} succeeded after it had failed"]
        with deployment.world.db.read() as tx:
            assert alerts.list_open_alerts(tx) == []


def test_without_resolved_nobody_is_told_that_the_cause_is_gone(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure", resolved=False), group_interval_s=0.0) as monitor:
        deployment.round(monitor)
        run = deployment.fail(deployment.start())
        deployment.let(monitor, 12)
        deployment.succeed(run)
        deployment.let(monitor, 20)
    assert len(deployment.sent) == 1


def test_a_late_run_is_told_once_and_resolved_when_it_ends(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("late", longer_than_s=60.0), group_wait_s=0.0, group_interval_s=0.0) as monitor:
        deployment.round(monitor)
        run = deployment.start()
        deployment.let(monitor, 58)
        assert deployment.sent == []
        deployment.let(monitor, 30)
        (sentence,) = deployment.sentences()
        assert sentence.startswith(f"DAG d: run {run.run_id} has run for 1 min ")
        assert sentence.endswith(", longer than 1 min")
        deployment.succeed(run)
        deployment.let(monitor, 10)
        assert deployment.sentences()[1].startswith(f"+DAG d: run {run.run_id} has ended after 1 min ")
        assert deployment.sentences()[1].endswith(" in state success")


def test_a_run_is_late_by_the_percentile_of_the_last_runs(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    for seconds in (10, 12, 11, 10, 13, 12):
        run = deployment.start()
        deployment.clock.advance(seconds)
        deployment.succeed(run)
    with deployment.monitor(rule("late", is_p95=True), group_wait_s=0.0) as monitor:
        deployment.round(monitor)
        deployment.start()
        deployment.let(monitor, 12)
        assert deployment.sent == []
        deployment.let(monitor, 8)
        (sentence,) = deployment.sentences()
        assert sentence.endswith("longer than 95 % of its last 30 successful runs (13 s)")


def test_paused_dags_raise_no_alerts_about_their_runs(deployment: MonitorWorld) -> None:
    deployment.world.record(parsed("/dags/d.py", spec("d")), paused=True)
    deployment.start()
    with deployment.monitor(rule("late", longer_than_s=5.0), group_wait_s=0.0) as monitor:
        deployment.let(monitor, 30)
    assert deployment.sent == []


def test_a_run_that_waits_is_told_with_what_it_waits_for(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    run = deployment.world.run()
    with deployment.monitor(rule("waiting", longer_than_s=60.0), group_wait_s=0.0, group_interval_s=0.0) as monitor:
        deployment.let(monitor, 70)
        ((_, delivery),) = deployment.sent
        (item,) = delivery.body.items
        assert item.text.startswith(f"DAG d: run {run.run_id} has been waiting for 1 min ")
        assert item.explanation, "explain says why"
        run.state, run.started_at = DagRunState.RUNNING, deployment.clock.now()
        deployment.world.apply(Changes(runs=[run]))
        deployment.let(monitor, 10)
        assert deployment.sentences()[1] == f"+DAG d: run {run.run_id} waits no longer: it is running"


def test_import_errors_are_told_once_and_resolved(deployment: MonitorWorld) -> None:
    with deployment.monitor(rule("import_error"), group_wait_s=0.0, group_interval_s=0.0) as monitor:
        deployment.world.record(
            parsed("/dags/x.py", failures=[ParseFailure(kind="import", message="SyntaxError: never closed", line=3)])
        )
        deployment.let(monitor, 12)
        assert deployment.sentences() == ["file /dags/x.py, line 3 cannot be loaded: SyntaxError: never closed"]
        deployment.world.record(parsed("/dags/x.py", spec("x"), input_hash="2"))
        deployment.let(monitor, 12)
        assert deployment.sentences()[1:] == ["+file /dags/x.py can be loaded again"]


def test_what_is_in_quarantine_is_told_once_a_dag_and_resolved(deployment: MonitorWorld) -> None:
    items = [
        QuarantinedItem(kind="result", group_no=1, dag_id="d", reason="no json", error_class="ValueError", at=AT),
        QuarantinedItem(kind="result", group_no=1, dag_id="d", reason="no json", error_class="ValueError", at=AT),
        QuarantinedItem(kind="run_created", group_no=2, reason="no number", error_class="ValueError", at=AT),
    ]
    with deployment.monitor(rule("quarantined"), group_wait_s=0.0, group_interval_s=0.0) as monitor:
        with deployment.world.db.write() as tx:
            quarantine.add_items(tx, items)
        deployment.let(monitor, 12)
        since = "since 2023-11-14T22:13:20.000000+00:00"
        assert sorted(deployment.sentences()) == [
            f"DAG d: 2 messages in quarantine, {since}: no json",
            f"group 2: 1 message in quarantine, {since}: no number",
        ]
        with deployment.world.db.write() as tx:
            for item in quarantine.list_items(tx, 10):
                quarantine.discard(tx, item)
        deployment.let(monitor, 12)
        assert sorted(deployment.sentences()[2:]) == [
            "+DAG d: nothing is in quarantine any more",
            "+group 2: nothing is in quarantine any more",
        ]


def test_a_silent_service_is_told_after_its_time(deployment: MonitorWorld) -> None:
    with deployment.monitor(rule("service_silent", longer_than_s=30.0), group_wait_s=1.0) as monitor:
        deployment.let(monitor, 25)
        assert deployment.sent == []
        deployment.let(monitor, 20)
        assert any(sentence.startswith("no worker has sent a heartbeat for 3") for sentence in deployment.sentences())
        assert any(
            sentence.startswith("no dag-processor has sent a heartbeat for 3") for sentence in deployment.sentences()
        )


def test_rules_of_a_dag_file_apply_to_that_dag(deployment: MonitorWorld) -> None:
    deployment.world.dag("own", alerts=(AlertRuleSpec(when="failure", to=("ops", "unknown")),))
    deployment.world.dag("d")
    with deployment.monitor() as monitor:
        deployment.round(monitor)
        deployment.fail(deployment.start("own"))
        deployment.fail(deployment.start("d"))
        deployment.let(monitor, 12)
    ((_, delivery),) = deployment.sent
    assert [(item.dag_id, item.rule) for item in delivery.body.items] == [("own", "dag:own:1")]


def test_rules_select_dags_by_pattern_and_tag(deployment: MonitorWorld) -> None:
    for dag_id, tags in (("team_a", ()), ("team_b", ("quiet",)), ("x", ("loud",)), ("y", ())):
        deployment.world.dag(dag_id, tags=tags)
    rules = (
        rule("failure", name="1", dags=("team_*",), exclude_dags=("*_b",)),
        rule("failure", name="2", tags=("loud",)),
    )
    with deployment.monitor(*rules) as monitor:
        deployment.round(monitor)
        for dag_id in ("team_a", "team_b", "x", "y"):
            deployment.fail(deployment.start(dag_id))
        deployment.let(monitor, 12)
    assert sorted(item.dag_id or "" for _, delivery in deployment.sent for item in delivery.body.items) == [
        "team_a",
        "x",
    ]


def test_a_message_lists_fifty_alerts_and_counts_the_others(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure")) as monitor:
        deployment.round(monitor)
        for _ in range(60):
            deployment.fail(deployment.start())
        deployment.let(monitor, 12)
    ((_, delivery),) = deployment.sent
    assert (len(delivery.body.items), delivery.body.count) == (50, 60)


def test_at_is_when_the_owner_recorded_the_fact(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    deployment.fail(deployment.start())
    deployment.clock.advance(3600)
    with deployment.monitor(rule("failure")) as monitor:
        deployment.let(monitor, 12)
    assert deployment.sent[0][1].body.items[0].at == AT
    assert deployment.sent[0][1].created_at >= AT + 3600 * SECOND


def test_a_channel_with_a_backlog_does_not_hold_up_the_others(world: World) -> None:
    with world.db.write() as tx:
        for number in range(300):
            alert_deliveries.add_delivery(
                tx, f"u{number}", "slow", f"g{number}", AT, AT, DeliveryBody(items=(), count=0)
            )
        alert_deliveries.add_delivery(tx, "mine", "ops", "g", AT, AT, DeliveryBody(items=(), count=0))
    with world.db.read() as tx:
        due = alert_deliveries.list_due_deliveries(tx, AT, 50)
    assert [one.uid for one in due if one.channel == "ops"] == ["mine"]
    assert [one.uid for one in due if one.channel == "slow"] == [f"u{number}" for number in range(50)]


def test_a_failure_has_a_later_success_only_after_it(world: World) -> None:
    world.dag()
    runs = [world.run("d", f"r{number}") for number in range(4)]
    with world.db.write() as tx:
        for number, run in enumerate(runs):
            state = 100 if number == 2 else 101
            tx._connection.execute_raw(
                f"UPDATE dag_run SET state = {state}, ended_at = {AT}, run_after = {AT + number} WHERE run_pk = {run.run_pk}"
            )
            if state == 101:
                item = AlertItem(kind="failure", rule="r", at=AT, sentence="s")
                alerts.raise_alert(tx, item, f"failure:{run.run_pk}", run.dag_pk, run.run_pk)
    with world.db.read() as tx:
        assert [one.has_later_success for one in alerts.list_states_of_runs(tx).values()] == [True, True, False]
