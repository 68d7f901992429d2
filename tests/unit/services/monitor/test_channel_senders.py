"""Messages over real servers: HTTP, Slack's JSON, SMTP; and a notifier in a process of its own."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.effects import options
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.smtp_server import smtp_server
from tests.webhook_server import WebhookServer, webhook_server

from gnomon.changes.alert_channels.channel_senders import ChannelSender
from gnomon.changes.alert_channels.messages import build_slack_json, build_title, build_webhook_json
from gnomon.changes.alert_channels.notifier_process import NotifierCalls
from gnomon.changes.alert_channels.webhook_post import DeliveryFailed
from gnomon.ground.clock import SystemClock, VirtualClock
from gnomon.ground.config import set_current_config
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.ground.config.environment import environment, replace_environment
from gnomon.ground.log import secret_masks
from gnomon.model.alerts import AlertItem, DeliveryBody, DeliveryRecord
from gnomon.storage.store import open_database

AT = 1_700_000_000_000_000
SECRET = "s3cret-of-the-hook"


def delivery(*items: AlertItem, count: int | None = None) -> DeliveryRecord:
    found = items or (item(),)
    return DeliveryRecord(
        1,
        "uid-1",
        "ops",
        "failure:d",
        "sending",
        AT,
        AT,
        0,
        None,
        None,
        DeliveryBody(items=found, count=count or len(found)),
    )


def item(**fields: object) -> AlertItem:
    return AlertItem(
        **{
            "kind": "failure",
            "rule": "r",
            "at": AT,
            "sentence": "DAG d: run <x> failed: a & b",
            "dag_id": "d",
            "run_id": "x",
            "explanation": ("a: ValueError: `no` rows",),
            "command": "gnomon explain d x",
            "link": "https://g.example/?dag_id=d",
            **fields,
        }
    )  # type: ignore[arg-type]


def channel(kind: str = "webhook", **fields: object) -> AlertChannel:
    return AlertChannel(**{"name": "ops", "type": kind, "place": "gnomon.toml, line 1", "timeout_s": 2.0, **fields})  # type: ignore[arg-type]


def no_notifier(*_: object) -> None:
    raise AssertionError("no notifier is called")


@pytest.fixture
def server() -> Iterator[WebhookServer]:
    with webhook_server() as running:
        yield running
    secret_masks.forget_secrets()


@pytest.fixture
def sender() -> ChannelSender:
    return ChannelSender(VirtualClock(AT), no_notifier)


def test_a_webhook_gets_json_with_a_signature_that_its_receiver_can_check(
    server: WebhookServer, sender: ChannelSender
) -> None:
    sender.send(channel(url=f"{server.url}/in?key=1", secret=SECRET), delivery())
    (post,) = server.posts
    assert (post.path, post.headers["idempotency-key"], post.headers["content-type"]) == (
        "/in?key=1",
        "uid-1",
        "application/json",
    )
    signed = post.headers["x-gnomon-timestamp"].encode() + b"." + post.body
    assert post.headers["x-gnomon-signature"] == "v1=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
    assert post.headers["x-gnomon-timestamp"] == str(AT // 1_000_000)
    document = json.loads(post.body)
    assert (document["version"], document["id"], document["status"], document["count"]) == (1, "uid-1", "firing", 1)
    assert document["alerts"][0]["sentence"] == "DAG d: run <x> failed: a & b"
    assert document["alerts"][0]["explanation"] == ["a: ValueError: `no` rows"]


def test_without_a_secret_nothing_is_signed(server: WebhookServer, sender: ChannelSender) -> None:
    sender.send(channel(url=server.url), delivery())
    assert "x-gnomon-signature" not in server.posts[0].headers


def test_address_and_secret_come_from_the_environment_and_are_hidden_in_logs(
    server: WebhookServer, sender: ChannelSender
) -> None:
    before = environment()
    replace_environment({**before, "HOOK": f"{server.url}/t0ken", "HOOK_SECRET": SECRET})
    try:
        sender.send(channel(url_env="HOOK", secret_env="HOOK_SECRET"), delivery())
    finally:
        replace_environment(before)
    assert server.posts[0].path == "/t0ken"
    assert "x-gnomon-signature" in server.posts[0].headers
    assert secret_masks.hide(f"posted to {server.url}/t0ken with {SECRET}") == "posted to *** with ***"


def test_address_and_secret_come_from_a_connection(server: WebhookServer, sender: ChannelSender) -> None:
    before = environment()
    text = json.dumps({"conn_type": "http", "host": server.url, "password": SECRET, "extra": {"path": "/in"}})
    replace_environment({**before, "AIRFLOW_CONN_OPS_HOOK": text})
    try:
        sender.send(channel(conn_id="ops_hook"), delivery())
    finally:
        replace_environment(before)
    assert server.posts[0].path == "/in"
    assert "x-gnomon-signature" in server.posts[0].headers


def test_a_variable_that_is_not_set_is_named(sender: ChannelSender) -> None:
    with pytest.raises(
        DeliveryFailed, match="url_env of channel ops names the variable NOBODY_SET_IT, which is not set"
    ) as caught:
        sender.send(channel(url_env="NOBODY_SET_IT"), delivery())
    assert caught.value.is_final


@pytest.mark.parametrize(
    ("status", "headers", "is_final", "after_s"),
    [
        (500, {}, False, None),
        (503, {"Retry-After": "7"}, False, 7.0),
        (429, {"Retry-After": "99999"}, False, 3600.0),
        (404, {}, True, None),
        (302, {"Location": "/elsewhere"}, True, None),
        (401, {}, True, None),
        (408, {}, False, None),
    ],
)
def test_a_status_says_whether_another_try_would_help(
    server: WebhookServer,
    sender: ChannelSender,
    status: int,
    headers: dict[str, str],
    is_final: bool,
    after_s: float | None,
) -> None:
    server.answers = [(status, headers)]
    with pytest.raises(DeliveryFailed, match=f"the webhook answered {status}") as caught:
        sender.send(channel(url=server.url), delivery())
    assert (caught.value.is_final, caught.value.retry_after_s) == (is_final, after_s)
    assert len(server.posts) == 1


def test_a_server_that_does_not_answer_is_given_up_after_the_time_limit(
    server: WebhookServer, sender: ChannelSender
) -> None:
    server.delay_s = 60
    with pytest.raises(DeliveryFailed, match="cannot be reached: .*timed out") as caught:
        sender.send(channel(url=server.url, timeout_s=0.2), delivery())
    assert not caught.value.is_final


def test_a_server_that_is_away_is_tried_again_and_its_address_is_not_printed(sender: ChannelSender) -> None:
    with pytest.raises(DeliveryFailed, match="cannot be reached") as caught:
        sender.send(channel(url="http://127.0.0.1:9/t0ken"), delivery())
    assert not caught.value.is_final
    assert "t0ken" not in str(caught.value)


def test_slack_gets_escaped_text_and_blocks(server: WebhookServer, sender: ChannelSender) -> None:
    sender.send(channel("slack", url=server.url), delivery())
    document = json.loads(server.posts[0].body)
    assert document["text"] == "DAG d: run &lt;x&gt; failed: a &amp; b"
    assert "<https://g.example/?dag_id=d|open>" in document["blocks"][0]["text"]["text"]


def test_slack_gets_few_blocks_for_many_alerts() -> None:
    document = json.loads(
        build_slack_json(delivery(*[item(run_id=str(number)) for number in range(30)], count=90), None)
    )
    assert len(document["blocks"]) == 11
    assert document["blocks"][-1]["elements"][0]["text"] == "and 80 more"


def test_the_title_of_many_alerts_counts_their_kinds() -> None:
    body = delivery(item(), item(run_id="y"), item(kind="retry", run_id="z"), count=5).body
    assert build_title(body, None) == "5 alerts of DAG d (2 failure, 1 retry, 2 more)"
    assert json.loads(build_webhook_json(delivery(item(is_resolved=True)), None))["status"] == "resolved"


def test_mail_arrives_with_subject_explanation_and_key(tmp_path: Path, sender: ChannelSender) -> None:
    with smtp_server() as server:
        set_current_config(
            options(
                tmp_path,
                smtp__smtp_host="127.0.0.1",
                smtp__smtp_port=server.port,
                smtp__smtp_starttls=False,
                smtp__smtp_mail_from="g@x.test",
            )
        )
        try:
            sender.send(channel("email", to=("a@x.test", "b@x.test")), delivery())
        finally:
            set_current_config(None)
    (mail,) = server.mails
    assert (mail.sender, mail.recipients) == ("g@x.test", ["a@x.test", "b@x.test"])
    assert mail.message["Subject"] == "[Gnomon] DAG d: run <x> failed: a & b"
    assert mail.message["Idempotency-Key"] == "uid-1"
    assert "run &lt;x&gt; failed: a &amp; b" in mail.html
    assert "<li>a: ValueError: `no` rows</li>" in mail.html


def test_a_mail_server_that_is_away_is_tried_again(tmp_path: Path, sender: ChannelSender) -> None:
    set_current_config(options(tmp_path, smtp__smtp_host="127.0.0.1", smtp__smtp_port=9, smtp__smtp_starttls=False))
    try:
        with pytest.raises(DeliveryFailed, match="cannot be reached") as caught:
            sender.send(channel("email", to=("a@x.test",)), delivery())
    finally:
        set_current_config(None)
    assert not caught.value.is_final


NOTIFIERS = """
import os, time
from airflow.sdk import BaseHook, BaseNotifier

class Writes(BaseNotifier):
    template_fields = ("text",)
    def __init__(self, path, text):
        super().__init__()
        self.path, self.text = path, text
    def notify(self, context):
        with open(self.path, "w") as file:
            file.write(f"{self.text} / {context['dag_id']} / {BaseHook.get_connection('chat').password}")

class Raises(BaseNotifier):
    def notify(self, context):
        raise ValueError("the room is closed")

class Hangs(BaseNotifier):
    def notify(self, context):
        time.sleep(600)

class Dies(BaseNotifier):
    def notify(self, context):
        os._exit(3)
"""


def test_a_notifier_of_an_author_runs_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "own_notifiers.py").write_text(NOTIFIERS)
    cfg = options(tmp_path)
    create_schema(cfg.database_url)
    db = open_database(cfg.database_url, cipher=CIPHER)
    before = environment()
    replace_environment({**before, "AIRFLOW_CONN_CHAT": "http://user:pa55word@host"})
    monkeypatch.setattr("gnomon.changes.alert_channels.notifier_process.START_S", 20.0)
    calls = NotifierCalls(cfg, db, SystemClock())
    written = tmp_path / "written"
    try:
        arguments = {"path": str(written), "text": "{{ title }}"}
        calls.call(
            channel("notifier", class_path="own_notifiers.Writes", arguments=arguments),
            delivery(item(sentence="it failed")),
            None,
        )
        assert written.read_text() == "it failed / d / pa55word"
        with pytest.raises(
            DeliveryFailed, match="notifier own_notifiers.Raises: ValueError: the room is closed"
        ) as raised:
            calls.call(channel("notifier", class_path="own_notifiers.Raises"), delivery(), None)
        assert not raised.value.is_final
        with pytest.raises(DeliveryFailed, match="ended with exit code 3"):
            calls.call(channel("notifier", class_path="own_notifiers.Dies"), delivery(), None)
        with pytest.raises(DeliveryFailed, match="own_notifiers.Missing") as missing:
            calls.call(channel("notifier", class_path="own_notifiers.Missing"), delivery(), None)
        assert missing.value.is_final
        monkeypatch.setattr("gnomon.changes.alert_channels.notifier_process.START_S", 1.5)
        with pytest.raises(DeliveryFailed, match="did not return within 0.5 s and was ended"):
            calls.call(channel("notifier", class_path="own_notifiers.Hangs", timeout_s=0.5), delivery(), None)
    finally:
        replace_environment(before)
        db.close()
