"""Which rules apply to a DAG: those of gnomon.toml that match it, and those of its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnomon.ground import log
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.ground.config.alert_rules import AlertRule
from gnomon.model.alerts import AlertRuleSpec
from gnomon.model.spec import DagSpec
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import alerts
from gnomon.storage.store.record_codec import decode_spec_without_tasks

_CACHE_MAX = 10_000
_log = log.get_logger("monitor")


@dataclass(frozen=True, slots=True)
class RuledDag:
    """A DAG with the rules that apply to it."""

    dag_pk: int
    dag_id: str
    timezone: str
    rules: tuple[AlertRule, ...]

    def list_rules(self, kind: str) -> list[AlertRule]:
        """The rules about that kind."""
        return [rule for rule in self.rules if kind in rule.when]


class DagRules:
    """Finds the rules of DAGs, and remembers them by version."""

    def __init__(self, rules: Sequence[AlertRule], channels: Mapping[str, AlertChannel]) -> None:
        self._rules = tuple(rules)
        self._channels = channels
        self._known: dict[int, RuledDag] = {}
        """By version_pk."""

    def find(self, tx: Transaction, dag_pk: int) -> RuledDag | None:
        """The DAG with its rules; None when it was deleted."""
        version = alerts.find_dag_version(tx, dag_pk)
        return None if version is None else self.find_version(tx, dag_pk, *version)

    def find_version(self, tx: Transaction, dag_pk: int, dag_id: str, version_pk: int) -> RuledDag:
        """The DAG with the rules for that version of it."""
        rules = self._known.get(version_pk)
        if rules is None:
            if len(self._known) >= _CACHE_MAX:
                self._known.clear()
            rows = tx.all("group_state.specs", version_pks=[version_pk])
            spec = decode_spec_without_tasks(rows[0][1]) if rows else None
            rules = self._known[version_pk] = RuledDag(
                dag_pk,
                dag_id,
                "UTC" if spec is None else spec.local_timezone,
                () if spec is None else self._list_rules(dag_id, spec),
            )
        return rules

    def _list_rules(self, dag_id: str, spec: DagSpec) -> tuple[AlertRule, ...]:
        own = [self._build_rule(dag_id, number, rule) for number, rule in enumerate(spec.alerts, start=1)]
        return (*(rule for rule in self._rules if rule.matches(dag_id, spec.tags)), *own)

    def _build_rule(self, dag_id: str, number: int, spec: AlertRuleSpec) -> AlertRule:
        missing = [name for name in spec.to if name not in self._channels]
        if missing:
            _log.warning(
                "channel_missing",
                dag_id=dag_id,
                channels=missing,
                remedy=f"add [alerts.channels.{missing[0]}] to gnomon.toml",
            )
        return AlertRule(
            name=f"dag:{dag_id}:{number}",
            when=(spec.when,),
            to=tuple(name for name in spec.to if name in self._channels),
            longer_than_s=spec.longer_than_s,
            is_p95=spec.is_p95,
            by=spec.by,
            resolved=spec.resolved,
        )
