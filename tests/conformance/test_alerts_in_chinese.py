"""Every kind of alert, raised and resolved by the monitor, as a message in Chinese: no English sentence of ours is left in it.

`SCENES` has what makes each kind happen; a kind without a scene fails the test of the table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from tests.conformance.monitorworld import MonitorWorld, rule
from tests.conformance.storeworld import AT, World, parsed, spec
from tests.conformance.test_baseline_evaluation import MORNING, Forecaster

from gnomon.changes.alert_channels.messages import build_html, build_slack_json, build_text, build_title
from gnomon.changes.alert_channels.notifier_process import build_context
from gnomon.ground.config.alert_rules import AlertRule
from gnomon.ground.config.language_files import find_language
from gnomon.model.alerts import AlertEvent, AlertFacts, AlertItem, AlertKind, DeliveryBody, DeliveryRecord
from gnomon.model.baselines import KeyStep
from gnomon.model.instants import SECOND
from gnomon.model.languages.language import Language
from gnomon.model.quarantine import QuarantinedItem, group_key
from gnomon.model.records import Changes
from gnomon.model.sentences import StoredSentence
from gnomon.model.spec import ParseFailure
from gnomon.model.states import DagRunState
from gnomon.services.monitor.service import MonitorService
from gnomon.storage.store.alert_records import alerts
from gnomon.storage.store.coordination import leases, quarantine

NAMED = re.compile(r"`[^`]*`|gnomon [a-z0-9 _.=-]+|\bDAG [\w.-]+")
"""Commands, and DAGs by their ids."""
ENGLISH = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
REASON = "task a failed"


class Scene:
    """A deployment with a monitor, and what the two let happen."""

    def __init__(self, world: MonitorWorld, service: MonitorService, forecaster: Forecaster) -> None:
        self.world = world
        self.service = service
        self.forecaster = forecaster

    def let(self, seconds: float) -> None:
        self.world.let(self.service, seconds)

    def record(self, kind: AlertKind, map_index: int) -> None:
        """What an owner records of a failed try."""
        run = self.world.start()
        now = self.world.clock.now()
        facts = AlertFacts(reason=REASON, task_id="t", try_number=2, max_tries=3, retry_at=now + 60 * SECOND)
        self.world.world.apply(
            Changes(alert_events=[AlertEvent(kind, now, run.dag_pk, run.run_pk, 0, map_index, facts)])
        )
        self.let(12)


def fail_runs(scene: Scene) -> None:
    run = scene.world.fail(scene.world.start(), REASON)
    scene.let(12)
    scene.world.succeed(run)
    scene.let(20)
    for _ in range(2):
        scene.world.fail(scene.world.start(), REASON)
        scene.let(12)
    scene.world.succeed(scene.world.start())
    scene.let(20)


def be_late(scene: Scene) -> None:
    for _ in range(6):
        run = scene.world.start()
        scene.world.clock.advance(5)
        scene.world.succeed(run)
    run = scene.world.start()
    scene.let(200)
    scene.world.succeed(run)
    scene.let(20)


def wait_for_long(scene: Scene) -> None:
    run = scene.world.world.run()
    scene.let(70)
    run.state, run.started_at = DagRunState.RUNNING, scene.world.clock.now()
    scene.world.world.apply(Changes(runs=[run]))
    scene.let(20)


def break_file(scene: Scene) -> None:
    failures = [ParseFailure(kind="import", message="SyntaxError: X9", line=3)]
    scene.world.world.record(parsed("/dags/x.py", failures=failures))
    scene.let(12)
    scene.world.world.record(parsed("/dags/x.py", spec("x"), input_hash="2"))
    scene.let(20)


def be_silent(scene: Scene) -> None:
    scene.let(80)
    with scene.world.world.db.write() as tx:
        leases.beat_dag_processor(tx, "p1", "here")
    scene.let(20)


def quarantine_items(scene: Scene) -> None:
    fields = {"reason": "the request cannot be carried out: X9", "error_class": "ValueError", "at": AT}
    items = [
        QuarantinedItem(kind="result", group_no=1, dag_id="d", **fields),
        QuarantinedItem(kind="result", group_no=1, dag_id="d", **fields),
        QuarantinedItem(kind="run_created", group_no=2, **fields),
        QuarantinedItem(kind="group", group_no=3, key=group_key(3), **fields),
    ]
    with scene.world.world.db.write() as tx:
        quarantine.add_items(tx, items)
    scene.let(12)
    with scene.world.world.db.write() as tx:
        for item in quarantine.list_items(tx, 10):
            quarantine.discard(tx, item)
    scene.let(20)


def threaten_baseline(scene: Scene) -> None:
    scene.forecaster.fields = {"breach": 0.4, "key_path": (STEP,), "costly": 0}
    scene.let(40)
    scene.forecaster.fields = {"breach": 1.0, "failed": ("orders/r", "orders/s")}
    scene.let(40)
    scene.forecaster.fields = {"breach": 0.0}
    scene.let(40)


def break_baseline(scene: Scene) -> None:
    scene.forecaster.fields = {"breach": 1.0, "end_p50": None, "end_p90": None}
    scene.let(4_000)
    scene.forecaster.specs = ()
    scene.let(600)


def fail_on_key_path(scene: Scene) -> None:
    scene.forecaster.fields = {"key_path": (replace_step(trouble="failed"),)}
    scene.let(40)
    scene.forecaster.fields = {}
    scene.let(40)


def be_slow_on_key_path(scene: Scene) -> None:
    scene.forecaster.fields = {"key_path": (replace_step(trouble="slow"),)}
    scene.let(40)
    scene.forecaster.fields = {}
    scene.let(40)


def replace_step(**fields: str) -> KeyStep:
    return KeyStep(dag_id="orders", run_id="r", task="load[2]", start=AT, end=AT + 60 * SECOND, **fields)


STEP = replace_step()
SCENES: dict[AlertKind, Callable[[Scene], None]] = {
    AlertKind.FAILURE: fail_runs,
    AlertKind.TASK_FAILURE: lambda scene: scene.record(AlertKind.TASK_FAILURE, -1),
    AlertKind.RETRY: lambda scene: scene.record(AlertKind.RETRY, 3),
    AlertKind.LATE: be_late,
    AlertKind.WAITING: wait_for_long,
    AlertKind.IMPORT_ERROR: break_file,
    AlertKind.SERVICE_SILENT: be_silent,
    AlertKind.QUARANTINED: quarantine_items,
    AlertKind.BASELINE_AT_RISK: threaten_baseline,
    AlertKind.BASELINE_BROKEN: break_baseline,
    AlertKind.ON_KEY_PATH_FAILED: fail_on_key_path,
    AlertKind.ON_KEY_PATH_SLOW: be_slow_on_key_path,
}
NEVER_RESOLVED = {AlertKind.TASK_FAILURE, AlertKind.RETRY}
RULES: dict[AlertKind, tuple[AlertRule, ...]] = {
    AlertKind.LATE: (
        rule("late", name="r1", longer_than_s=60.0),
        rule("late", name="r2", is_p95=True),
        rule("late", name="r3", by="22:15"),
    ),
    AlertKind.WAITING: (rule("waiting", longer_than_s=60.0),),
}
"""The rules of kinds that need more than their name."""


@pytest.fixture
def world(world: World) -> MonitorWorld:
    return MonitorWorld(world)


def play(world: MonitorWorld, kind: AlertKind) -> list[DeliveryRecord]:
    """The messages about an alert of that kind and its end."""
    forecaster = Forecaster(world)
    is_of_baseline = kind in (AlertKind.BASELINE_AT_RISK, AlertKind.BASELINE_BROKEN) or "key_path" in kind
    world.world.dag()
    with world.monitor(
        *RULES.get(kind, (rule(kind),)),
        start_forecast=forecaster if is_of_baseline else None,
        baselines=(MORNING,) if is_of_baseline else (),
        forecasts_always=is_of_baseline,
        forecast_interval_s=10.0,
        group_wait_s=0.0,
        group_interval_s=0.0,
    ) as service:
        world.round(service)
        SCENES[kind](Scene(world, service, forecaster))
        world.let(service, 60)
    return [delivery for _, delivery in world.sent]


def chinese() -> Language:
    language = find_language("zh")
    assert language is not None
    return language


def list_english(text: str) -> list[str]:
    return ENGLISH.findall(NAMED.sub("", text))


def list_texts(delivery: DeliveryRecord) -> Iterator[str]:
    body, language = delivery.body, chinese()
    yield build_title(body, language)
    yield build_text(body, language)
    yield re.sub(r"<[^>]*>", "\n", re.sub(r"<code>.*?</code>", "", build_html(body, language)))
    document = json.loads(build_slack_json(delivery, language))
    yield from (block["text"]["text"] for block in document["blocks"] if "text" in block)
    context = build_context(delivery, language)
    yield from (str(context[name]) for name in ("title", "text", "reason"))


def test_each_kind_of_alert_has_a_scene() -> None:
    assert set(SCENES) == set(AlertKind)


@pytest.mark.parametrize("kind", AlertKind)
def test_no_message_about_an_alert_is_left_in_english(world: MonitorWorld, kind: AlertKind) -> None:
    deliveries = play(world, kind)
    items = [item for delivery in deliveries for item in delivery.body.items]
    assert {item.is_resolved for item in items if item.kind == kind} == (
        {False} if kind in NEVER_RESOLVED else {False, True}
    )
    assert {type(text) for item in items for text in (item.sentence, *item.explanation)} == {StoredSentence}
    texts = [text for delivery in deliveries for text in list_texts(delivery)]
    assert {text: words for text in texts if (words := list_english(text))} == {}
    assert all(re.search("[\u4e00-\u9fff]", text) for text in texts)


def test_many_alerts_in_one_message_are_counted_in_chinese() -> None:
    items = (
        AlertItem(kind="failure", rule="r", at=AT, sentence="DAG d: run x failed", dag_id="d", failed_runs=3),
        AlertItem(kind="retry", rule="r", at=AT, sentence="DAG d: run y failed", dag_id="d"),
        AlertItem(kind="late", rule="r", at=AT, sentence="DAG e: run z failed", dag_id="d", is_resolved=True),
    )
    body = DeliveryBody(items=items, count=5, reason=REASON)
    assert build_title(body, chinese()) == (
        "DAG d 的 5 条告警（1 个失败的运行、1 个重试、1 个已恢复，另有 2 条）：任务 a 失败"
    )
    text = build_text(body, chinese())
    assert text.splitlines()[0] == "DAG d：运行 x 失败"
    assert "；这是该 DAG 自上次成功以来第 3 个失败的运行" in text
    assert "已恢复：DAG e：运行 z 失败" in text
    assert text.endswith("另有 2 条；gnomon alerts list 显示它们")
    other = replace_dags(body)
    assert build_title(other, chinese()).startswith("3 个 DAG 的 5 条告警")


def replace_dags(body: DeliveryBody) -> DeliveryBody:
    items = tuple(
        AlertItem(kind=item.kind, rule=item.rule, at=item.at, sentence=item.sentence, dag_id=dag_id)
        for item, dag_id in zip(body.items, "abc", strict=True)
    )
    return DeliveryBody(items=items, count=body.count)


def test_an_open_alert_with_the_words_of_an_earlier_release_is_the_same_alert(world: MonitorWorld) -> None:
    """Its identity is the rule and the subject: other words, or words of another language, neither raise it again nor leave it open."""
    world.world.dag()
    late = rule("late", longer_than_s=60.0)
    with world.monitor(late, group_wait_s=0.0, group_interval_s=0.0) as service:
        world.round(service)
        run = world.start()
        world.let(service, 90)
    with world.world.db.write() as tx:
        (alert,) = alerts.list_open_alerts(tx)
        alerts.resolve_alert(tx, alert.alert_pk, alert.raised_at)
        old = replace(alert.item, sentence="运行晚了")
        assert alerts.raise_alert(tx, old, alert.subject, alert.dag_pk, alert.run_pk)
    with world.monitor(late, name="m2", group_wait_s=0.0, group_interval_s=0.0) as service:
        world.clock.advance(60)
        world.let(service, 60)
        assert len(world.sent) == 1
        world.succeed(run)
        world.let(service, 20)
    assert len(world.sent) == 2
    with world.world.db.read() as tx:
        assert alerts.list_open_alerts(tx) == []
        assert next(alert.item.text for alert in alerts.list_newest_alerts(tx, 5)) == "运行晚了"
