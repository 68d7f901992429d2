"""`gnomon alerts`: rules, channels, alerts and messages; a message to try a channel."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_document, print_records
from gnomon.config.alert_channels import AlertChannel
from gnomon.config.alert_rules import AlertRule, read_alert_settings
from gnomon.errors.product import GnomonError, UserError, find_close_matches
from gnomon.model.alerts import AlertItem, AlertRuleSpec, DeliveryBody, DeliveryRecord
from gnomon.report.listings.alert_list import list_alerts, list_dag_rules, list_deliveries
from gnomon.store.dag_records.dags import StoredDag

_LIMIT = click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="The most rows to show.")


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule of gnomon.toml or of a DAG file."""

    rule: str
    when: str
    dags: str
    limit: str | None
    to: str
    place: str


@dataclass(frozen=True, slots=True)
class ChannelRow:
    """A channel of gnomon.toml; its secrets are hidden."""

    channel: str
    type: str
    target: str
    max_per_hour: int
    place: str


@click.group()
def alerts() -> None:
    """Show alerts, rules, channels and messages; try a channel."""


@alerts.command("list")
@click.option("--open", "open_only", is_flag=True, help="Only alerts whose cause is not gone.")
@_LIMIT
@output_option
@pass_home
def list_(home: Home, open_only: bool, limit: int, output: str) -> None:
    """List the newest alerts, newest first."""
    with home.store() as db, db.read() as tx:
        rows = list_alerts(tx, limit, open_only=open_only)
    empty = "no alert is open" if open_only else "no rule has raised an alert; `gnomon alerts rules` shows the rules"
    print_records(rows, output, ("raised_at", "state", "kind", "rule", "runs", "sentence"), empty=empty)


@alerts.command()
@_LIMIT
@output_option
@pass_home
def history(home: Home, limit: int, output: str) -> None:
    """List the newest messages, with their channels, states, tries and errors."""
    with home.store() as db, db.read() as tx:
        rows = list_deliveries(tx, limit)
    print_records(rows, output, ("created_at", "channel", "state", "tries", "alerts", "error", "sentences"), empty="no message has been written")


@alerts.command()
@output_option
@pass_home
def rules(home: Home, output: str) -> None:
    """List the rules of gnomon.toml, and those of DAG files."""
    settings = read_alert_settings(home.cfg.home)
    rows = [_rule_row(rule) for rule in settings.rules]
    try:
        with home.store() as db, db.read() as tx:
            rows += [_dag_rule_row(dag, number, rule, settings.channels) for dag, number, rule in list_dag_rules(tx)]
    except GnomonError as error:  # gnomon.toml can be checked before the database exists
        click.echo(f"gnomon: warning: rules of DAG files are not listed: {error}", err=True)
    empty = "neither gnomon.toml nor a DAG file has rules; add one below [[alerts.rules]], or DAG(alerts=[...])"
    print_records(rows, output, ("rule", "when", "dags", "limit", "to", "place"), empty=empty)


@alerts.command()
@output_option
@pass_home
def channels(home: Home, output: str) -> None:
    """List the channels of gnomon.toml; secrets are hidden."""
    rows = [_channel_row(channel) for channel in read_alert_settings(home.cfg.home).channels.values()]
    empty = "gnomon.toml has no channels; add one below [alerts.channels.NAME]"
    print_records(rows, output, ("channel", "type", "target", "max_per_hour", "place"), empty=empty)


@alerts.command()
@click.argument("name", metavar="CHANNEL")
@output_option
@pass_home
def test(home: Home, name: str, output: str) -> None:
    """Send a test message over CHANNEL now, once, without a monitor; exit code 1 when it is not accepted."""
    found = read_alert_settings(home.cfg.home).channels
    channel = found.get(name)
    if channel is None:
        matches = find_close_matches(name, found)
        remedy = f"did you mean {matches[0]}?" if matches else "`gnomon alerts channels` lists them"
        raise UserError(f"gnomon.toml has no channel {name!r}; {remedy}")
    delivery = _build_test_message(home, channel)
    _send(home, channel, delivery)
    if output == "table":
        click.echo(f"channel {name} accepted the test message {delivery.uid} ({channel.type}: {channel.target})")
    else:
        print_document({"channel": name, "type": channel.type, "target": channel.target, "delivery": delivery.uid, "is_accepted": True}, output)


def _send(home: Home, channel: AlertChannel, delivery: DeliveryRecord) -> None:
    from gnomon.monitor.channel_senders import ChannelSender  # start-up cost: smtplib, http
    from gnomon.monitor.notifier_process import NotifierCalls
    from gnomon.monitor.webhook_post import DeliveryFailed
    from gnomon.sdk.runtime import channel as task_api_channel
    from gnomon.taskapi.store_channel import StoreChannel

    with home.store() as db:
        previous = task_api_channel.install_channel(StoreChannel(db))
        try:
            ChannelSender(home.clock, NotifierCalls(home.cfg, db, home.clock).call, home.cfg.text("email", "email_conn_id") or "smtp_default").send(
                channel, delivery
            )
        except DeliveryFailed as error:
            raise UserError(f"channel {channel.name} did not accept the test message: {error} ({channel.place})") from None
        finally:
            task_api_channel.install_channel(previous)


def _build_test_message(home: Home, channel: AlertChannel) -> DeliveryRecord:
    now = home.clock.now()
    item = AlertItem(
        kind="test", rule="gnomon alerts test", at=now, sentence=f"this is a test of channel {channel.name}, sent by {home.by}",
        explanation=("no run has failed",), command="gnomon alerts list", link=home.cfg.text("alerts", "base_url") or None,
    )
    return DeliveryRecord(0, str(uuid.uuid4()), channel.name, "test", "sending", now, now, 1, None, None, DeliveryBody(items=(item,), count=1))


def _rule_row(rule: AlertRule) -> RuleRow:
    which = [*rule.dags, *(f"not {pattern}" for pattern in rule.exclude_dags), *(f"tag {tag}" for tag in rule.tags)]
    return RuleRow(rule.name, ", ".join(rule.when), ", ".join(which) or "all", _describe_limit(rule), ", ".join(rule.to), rule.place)


def _dag_rule_row(dag: StoredDag, number: int, rule: AlertRuleSpec, known: Mapping[str, AlertChannel]) -> RuleRow:
    to = ", ".join(name if name in known else f"{name} (no such channel)" for name in rule.to)
    return RuleRow(f"dag:{dag.dag_id}:{number}", rule.when, dag.dag_id, _describe_limit(rule), to, dag.file)


def _describe_limit(rule: AlertRule | AlertRuleSpec) -> str | None:
    span = "longer than p95" if rule.is_p95 else f"longer than {rule.longer_than_s:g} s" if rule.longer_than_s is not None else None
    return " or ".join(part for part in (span, f"not by {rule.by}" if rule.by else None) if part) or None


def _channel_row(channel: AlertChannel) -> ChannelRow:
    return ChannelRow(channel.name, channel.type, channel.target, channel.max_per_hour, channel.place)
