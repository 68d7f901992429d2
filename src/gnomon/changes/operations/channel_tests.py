"""A message to try a channel, which is sent at once and without the monitor."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.model.alerts import AlertItem, DeliveryBody, DeliveryRecord
from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.sentences import Command, say, store_sentence
from gnomon.storage.store import Database

_SENDING = threading.Lock()
"""The task API of a process is one for all its threads, and is that of this database while a test message is sent."""


@dataclass(frozen=True, slots=True)
class ChannelTest:
    """A test message that the channel has accepted."""

    channel: str
    type: str
    target: str
    delivery: str
    is_accepted: bool = True


@operation("alerts.test", "create", "configuration")
def send_test_message(scope: OperationScope, channel: str) -> ChannelTest:
    """Send a test message over a channel of gnomon.toml, once; an error when it is not accepted."""
    channels = read_alert_settings(scope.actor.cfg.home).channels
    named = channels.get(channel)
    if named is None:
        matches = find_close_matches(channel, channels)
        raise UserError(
            say(
                "channel_is_not_configured",
                name=channel,
                hint=say("did_you_mean", names=matches[0])
                if matches
                else say("command_lists_them", command=Command("alerts channels")),
            )
        )
    delivery = _build_message(scope, named)
    _send(scope, named, delivery)
    return ChannelTest(channel, named.type, named.target, delivery.uid)


def _send(scope: OperationScope, channel: AlertChannel, delivery: DeliveryRecord) -> None:
    from gnomon.changes.alert_channels.channel_senders import ChannelSender  # start-up cost: smtplib, http
    from gnomon.changes.alert_channels.notifier_process import NotifierCalls
    from gnomon.changes.alert_channels.webhook_post import DeliveryFailed

    cfg, clock = scope.actor.cfg, scope.actor.clock
    with _answer_task_api(scope.db):
        try:
            sender = ChannelSender(
                clock,
                NotifierCalls(cfg, scope.db, clock).call,
                cfg.text("email", "email_conn_id") or "smtp_default",
                cfg.text("alerts", "language"),
            )
            sender.send(channel, delivery)
        except DeliveryFailed as error:
            raise UserError(
                say("channel_refuses_test_message", name=channel.name, error=str(error), place=channel.place)
            ) from None


@contextmanager
def _answer_task_api(db: Database) -> Iterator[None]:
    """Connections are read from this database until the end of the block."""
    from gnomon.authoring.sdk.connections import channel as task_api_channel  # start-up cost
    from gnomon.queries.taskapi.store_channel import StoreChannel

    with _SENDING:
        previous = task_api_channel.install_channel(StoreChannel(db))
        try:
            yield
        finally:
            task_api_channel.install_channel(previous)


def _build_message(scope: OperationScope, channel: AlertChannel) -> DeliveryRecord:
    now = scope.actor.clock.now()
    item = AlertItem(
        kind="test",
        rule="gnomon alerts test",
        at=now,
        sentence=store_sentence(say("test_of_channel", name=channel.name, by=scope.actor.by)),
        explanation=(store_sentence(say("no_run_has_failed")),),
        command="gnomon alerts list",
        link=scope.actor.cfg.text("alerts", "base_url") or None,
    )
    return DeliveryRecord(
        0,
        str(uuid.uuid4()),
        channel.name,
        "test",
        "sending",
        now,
        now,
        1,
        None,
        None,
        DeliveryBody(items=(item,), count=1),
    )
