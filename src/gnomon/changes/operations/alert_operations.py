"""Alerts, messages, and the rules and channels of a deployment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.ground.config import Config
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.ground.config.alert_rules import AlertRule, read_alert_settings
from gnomon.model.alerts import AlertRuleSpec
from gnomon.queries.report.listings.alert_list import (
    AlertRow,
    DeliveryRow,
    list_alerts,
    list_dag_rules,
    list_deliveries,
)
from gnomon.storage.store.dag_records.dags import StoredDag

ROWS_MAX = 10_000
"""The newest rows in which those are looked for that a user sees who does not see every DAG."""


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
    language: str
    """The id of the language of its messages."""
    max_per_hour: int
    place: str


@operation("alerts.list", "read", "DAG")
def list_newest_alerts(scope: OperationScope, open_only: bool = False, limit: int = 50) -> list[AlertRow]:
    """The newest alerts, newest first; with `open_only` those whose cause is not gone."""
    with scope.db.read() as tx:
        if scope.dags.sees_all(tx):
            return list_alerts(tx, _cut(limit), open_only=open_only)
        visible = scope.select(tx, list_alerts(tx, ROWS_MAX, open_only=open_only), lambda row: row.dag_id)
        hide = scope.dags.build_name_filter(tx)
        return [row.hide(hide) for row in visible[: _cut(limit)]]


@operation("alerts.messages", "read", "configuration")
def list_messages(scope: OperationScope, limit: int = 50) -> list[DeliveryRow]:
    """The newest messages, newest first."""
    with scope.db.read() as tx:
        return list_deliveries(tx, _cut(limit))


@operation("alerts.rules", "read", "configuration")
def list_rules(scope: OperationScope) -> list[RuleRow]:
    """The rules of gnomon.toml, and those of DAG files."""
    channels = read_alert_settings(scope.actor.cfg.home).channels
    with scope.db.read() as tx:
        of_dags = scope.select(tx, list_dag_rules(tx), lambda dag_rule: dag_rule[0].dag_id)
    return [
        *list_file_rules(scope.actor.cfg),
        *(_build_dag_rule(dag, number, rule, channels) for dag, number, rule in of_dags),
    ]


@operation("alerts.channels", "read", "configuration")
def list_channels(scope: OperationScope) -> list[ChannelRow]:
    """The channels of gnomon.toml; secrets are hidden."""
    return list_file_channels(scope.actor.cfg)


def list_file_rules(cfg: Config) -> list[RuleRow]:
    """The rules of gnomon.toml, which can be read before there is a database."""
    return [_build_rule(rule) for rule in read_alert_settings(cfg.home).rules]


def list_file_channels(cfg: Config) -> list[ChannelRow]:
    """The channels of gnomon.toml, which can be read before there is a database."""
    channels = read_alert_settings(cfg.home).channels.values()
    language = cfg.text("alerts", "language")
    return [
        ChannelRow(
            channel.name,
            channel.type,
            channel.target,
            channel.language or language,
            channel.max_per_hour,
            channel.place,
        )
        for channel in channels
    ]


def _cut(limit: int) -> int:
    return min(max(limit, 1), ROWS_MAX)


def _build_rule(rule: AlertRule) -> RuleRow:
    which = [*rule.dags, *(f"not {pattern}" for pattern in rule.exclude_dags), *(f"tag {tag}" for tag in rule.tags)]
    return RuleRow(
        rule.name,
        ", ".join(rule.when),
        ", ".join(which) or "all",
        _describe_limit(rule),
        ", ".join(rule.to),
        rule.place,
    )


def _build_dag_rule(dag: StoredDag, number: int, rule: AlertRuleSpec, channels: Mapping[str, AlertChannel]) -> RuleRow:
    to = ", ".join(name if name in channels else f"{name} (no such channel)" for name in rule.to)
    return RuleRow(f"dag:{dag.dag_id}:{number}", rule.when, dag.dag_id, _describe_limit(rule), to, dag.file)


def _describe_limit(rule: AlertRule | AlertRuleSpec) -> str | None:
    span = (
        "longer than p95"
        if rule.is_p95
        else f"longer than {rule.longer_than_s:g} s"
        if rule.longer_than_s is not None
        else None
    )
    return " or ".join(part for part in (span, f"not by {rule.by}" if rule.by else None) if part) or None
