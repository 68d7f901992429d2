"""Creating, changing and deleting stored baselines: each a version of the definition, and a line in the audit log with the values before and after."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gnomon.changes.actions.actor import Actor
from gnomon.changes.actions.baseline_fields import BaselineFields, FieldsReader
from gnomon.changes.actions.refusals import BaselineRefused
from gnomon.model.baseline_specs import WEEKDAYS, BaselineSpec, mark_stored
from gnomon.model.errors.product import UserError
from gnomon.model.records import EventRecord
from gnomon.model.sentences import Sentence, say
from gnomon.queries.report.activity.baseline_ends import find_end
from gnomon.queries.report.activity.baseline_list import IsVisible, find_spec, list_written_specs
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import stored_baselines
from gnomon.storage.store.dag_records.event_log import log_event

STORED_MAX = 2_000
"""So many stored baselines there may be."""


class BaselineChanges:
    """The changes of one transaction. `check_dag`: raises if the user may not change this DAG; `is_visible`: whether he sees that of an end."""

    def __init__(self, tx: Transaction, actor: Actor, check_dag: Callable[[str], None], is_visible: IsVisible) -> None:
        self._tx = tx
        self._actor = actor
        self._check_dag = check_dag
        self._is_visible = is_visible
        self._reader = FieldsReader(actor.cfg)

    def create(self, name: str, fields: BaselineFields) -> BaselineSpec:
        """Add a baseline. Raises UserError for a wrong field, BaselineRefused for a name that one has."""
        spec = self._reader.create(name, fields)
        self._check_ends(spec)
        stored = stored_baselines.list_specs(self._tx)
        for other in (*list_written_specs(self._tx, self._actor.cfg), *stored):
            if other.name == name:
                raise BaselineRefused(self._describe_double(other))
        if len(stored) >= STORED_MAX:
            raise BaselineRefused(say("baselines_are_too_many", most=STORED_MAX))
        self._store(name, None, spec)
        return mark_stored(spec)

    def edit(self, name: str, fields: BaselineFields, version: int | None = None) -> BaselineSpec:
        """Change fields. `version`: the one that the user has seen. Raises as `create` does, and NameNotFound."""
        before = self._find(name, version)
        after = self._reader.change(before, fields)
        self._check_ends(after)
        self._store(name, before, after)
        return after

    def delete(self, name: str) -> None:
        """Delete a baseline; due times that were met or broken stay for as long as those of others. Raises NameNotFound, BaselineRefused."""
        self._store(name, self._find(name, None), None)

    def _find(self, name: str, version: int | None) -> BaselineSpec:
        """Raises for a name that none has, for one of a file, and for a version that is not the newest."""
        shown = find_spec(self._tx, self._actor.cfg, name, self._is_visible)
        newest = next(iter(stored_baselines.list_versions(self._tx, name, 1)), None)
        if newest is None or newest.spec is None:
            self._check_ends(shown, must_exist=False)
            raise BaselineRefused(say("baseline_stands_in_a_file", baseline=name, place=shown.shown_place))
        self._check_ends(newest.spec, must_exist=False)
        if version is not None and version != newest.version:
            raise BaselineRefused(
                say("baseline_was_changed", baseline=name, by=newest.changed_by, at=newest.changed_at)
            )
        return newest.spec

    def _describe_double(self, other: BaselineSpec) -> Sentence:
        if all(self._is_visible(text) for text in other.of):
            return say("baseline_exists", baseline=other.name, elsewhere=other.shown_place)
        return say("baseline_name_is_taken", baseline=other.name)

    def _check_ends(self, spec: BaselineSpec, *, must_exist: bool = True) -> None:
        """Each DAG that the baseline names exists, with the task, and the user may change it."""
        for text in spec.of:
            end = find_end(self._tx, text)
            self._check_dag(end.dag_id)
            if must_exist and not end.exists:
                raise UserError(say("baseline_names_nothing", baseline=spec.name, text=text, place="of"))

    def _store(self, name: str, before: BaselineSpec | None, after: BaselineSpec | None) -> None:
        if after == before:
            return
        now, by = self._actor.clock.now(), self._actor.by
        if not stored_baselines.add_version(self._tx, name, after, now, by):
            raise BaselineRefused(say("baseline_is_being_changed", baseline=name))
        kind = f"baseline_{'created' if before is None else 'deleted' if after is None else 'changed'}"
        body = {"baseline": name, "before": describe_definition(before), "after": describe_definition(after)}
        kept = {key: value for key, value in body.items() if value is not None}
        log_event(
            self._tx,
            EventRecord(now, kind, by=by, address=self._actor.address, body=json.dumps(kept, ensure_ascii=False)),
        )


def describe_definition(spec: BaselineSpec | None) -> dict[str, Any] | None:
    """What is set, without what is empty, for the audit log and the history."""
    if spec is None:
        return None
    texts = {
        "of": list(spec.of),
        "by": spec.due_text,
        "timezone": spec.timezone,
        "margin_s": spec.margin_s,
        "at_risk": spec.at_risk,
        "weekdays": [WEEKDAYS[day] for day in spec.weekdays],
        "calendar": spec.calendar,
        "owner": spec.owner,
        "to": list(spec.to),
        "priority": list(spec.priority or ()),
    }
    return {name: value for name, value in texts.items() if value}
