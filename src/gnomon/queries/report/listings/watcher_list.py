"""Watchers of assets as commands show them: which trigger watches, whether it runs, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.assets import AssetCondition, AssetKey
from gnomon.model.attempts import build_watcher_log_path
from gnomon.model.instants import iso
from gnomon.model.sentences import Command, Sentence, render, say
from gnomon.rules.assets.conditions import iter_leaves, match_leaves
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_watchers
from gnomon.storage.store.asset_records.asset_watchers import StoredWatcher

WATCHERS_SHOWN = 5
"""Failing watchers that the health page names."""


@dataclass(frozen=True, slots=True)
class WatcherRow:
    """A watcher as listings print it."""

    name: str
    trigger: str
    """The class of its trigger."""
    dag_id: str
    """The DAG that declares it."""
    state: str
    events: int
    """Events of its trigger."""
    last_event: str | None
    log: str
    """Relative to the log folder."""


def list_watcher_rows(tx: Transaction, asset: AssetKey) -> list[WatcherRow]:
    """The watchers of the asset, by name."""
    return [
        WatcherRow(
            row.name,
            row.classpath,
            row.dag_id,
            describe_state(row),
            row.event_count,
            iso(row.last_event_at),
            build_watcher_log_path(row.identity),
        )
        for row in asset_watchers.list_watchers(tx)
        if row.asset == asset
    ]


def describe_state(row: StoredWatcher) -> str:
    """Whether the trigger of the watcher runs, in words."""
    return render(say_state(row))


def say_state(row: StoredWatcher) -> Sentence:
    """Whether the trigger of the watcher runs."""
    if not row.is_wanted:
        return say("watcher_is_stopped")
    if row.triggerer is not None:
        return say("watcher_runs", triggerer=row.triggerer, last=_describe_failure(row))
    if row.failure is not None:
        return say("watcher_is_started_again", at=row.retry_at, last=_describe_failure(row))
    return say("watcher_waits")


def _describe_failure(row: StoredWatcher) -> Sentence | None:
    if row.failure is None:
        return None
    if row.failures < 2:
        return say("watcher_failed_at", at=row.failed_at, error=row.failure)
    return say("watcher_failed_often", number=row.failures, at=row.failed_at, error=row.failure)


def describe_schedule_watchers(tx: Transaction, condition: AssetCondition) -> list[Sentence]:
    """Sentences on the watchers of the assets of this condition that fail or wait for a triggerer."""
    leaves = set(iter_leaves(condition))
    failing = [
        row
        for row in asset_watchers.list_watchers(tx)
        if row.is_wanted and leaves.intersection(match_leaves(row.asset, ()))
    ]
    return list(
        dict.fromkeys(
            say("watcher_is", watcher=row.name, asset=row.asset.name, why=say_state(row))
            for row in failing
            if row.failure is not None or row.triggerer is None
        )
    )


def find_watcher_problems(rows: Sequence[StoredWatcher], *, has_triggerer: bool) -> tuple[Sentence, ...]:
    """What users must know about watchers: those that fail, and those that wait while no triggerer is alive."""
    failing = list(
        dict.fromkeys(
            say(
                "watcher_fails",
                watcher=row.name,
                asset=row.asset.name,
                error=row.failure,
                command=Command("assets show", (row.asset.name,)),
            )
            for row in rows
            if row.is_wanted and row.failure is not None
        )
    )
    shown = failing[:WATCHERS_SHOWN]
    if len(failing) > len(shown):
        shown.append(say("more_watchers_fail", count=len(failing) - len(shown)))
    waiting = len({row.asset_trigger_pk for row in rows if row.is_wanted and row.triggerer is None})
    if waiting and not has_triggerer:
        number, command = f"{waiting:,}", Command("triggerer")
        shown.append(say("watchers_lack_triggerer", count=waiting, number=number, command=command))
    return tuple(shown)
