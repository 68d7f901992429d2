"""Stored rows that cannot be decoded: the DAGs that they belong to are left out of a load, and all others are loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from gnomon.model.records import DagRecord, GroupState, UndecodableDag
from gnomon.storage.store import key_check
from gnomon.storage.store.errors import FailureKind, WrongKey, classify_failure
from gnomon.storage.store.transaction import Row, Transaction

T = TypeVar("T")


class DamagedRows:
    """What could not be decoded in one load. Nothing here costs a statement while everything can be decoded."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.errors: dict[int, str] = {}
        """By dag_pk: the first error."""
        self.names: dict[int, tuple[str, int]] = {}
        """By dag_pk: id and group of DAGs whose own row cannot be decoded."""
        self.run_pks: dict[int, int] = {}
        """run_pk to dag_pk of the runs that were decoded."""

    def check(self, error: Exception) -> None:
        """Raises the error unless it says that a row is damaged: an outage, or a wrong key of this host."""
        if isinstance(error, WrongKey):
            if not key_check.is_key_of_database(self._tx):
                raise error
        elif classify_failure(error) in (FailureKind.OUTAGE, FailureKind.FENCED):
            raise error

    def try_part(self, dag_pk: int, load: Callable[[], T]) -> T | None:
        """What `load` returns; None if it fails, which is an error of this DAG."""
        try:
            return load()
        except Exception as error:
            self.check(error)
            self.errors.setdefault(dag_pk, f"{type(error).__name__}: {error}")
            return None

    def decode_rows(self, rows: Sequence[Row], decode: Callable[[Row], T], dag_of: Callable[[Row], int]) -> list[T]:
        """The rows that can be decoded. `dag_of`: the DAG of a row."""
        try:
            return [decode(row) for row in rows]
        except Exception as error:
            self.check(error)
        decoded = (self.try_part(dag_of(row), partial(decode, row)) for row in rows)
        return [record for record in decoded if record is not None]

    def load_by_run(self, run_pks: Sequence[int], load: Callable[[Sequence[int]], dict[int, T]]) -> dict[int, T]:
        """What `load` returns for all runs; if that fails, for each run alone that has no damaged row."""
        try:
            return load(run_pks)
        except Exception as error:
            self.check(error)
        loaded: dict[int, T] = {}
        for run_pk in run_pks:
            loaded.update(self.try_part(self.run_pks[run_pk], partial(load, [run_pk])) or {})
        return loaded

    def load_by_dag(self, dags: Sequence[DagRecord], load: Callable[[list[DagRecord]], dict[int, T]]) -> dict[int, T]:
        """As `load_by_run`, for what is loaded by DAG."""
        try:
            return load(list(dags))
        except Exception as error:
            self.check(error)
        loaded: dict[int, T] = {}
        for dag in dags:
            loaded.update(self.try_part(dag.dag_pk, partial(load, [dag])) or {})
        return loaded

    def remove_from(self, state: GroupState) -> None:
        """Takes the DAGs with a damaged row out of what was loaded, and names them in `state.undecodable`."""
        damaged = self.errors.keys()
        names = {dag.dag_pk: (dag.dag_id, dag.group_no) for dag in state.dags if dag.dag_pk in damaged} | self.names
        for dag_pk, error in self.errors.items():
            dag_id, group_no = names.get(dag_pk, (None, None))
            if dag_id is not None and group_no is not None:
                run_pks = tuple(run_pk for (run_pk,) in self._tx.all("quarantine.unfinished_runs", dag_pk=dag_pk))
                attempts = tuple(attempt for (attempt,) in self._tx.all("quarantine.live_attempts", dag_pk=dag_pk))
                state.undecodable[dag_pk] = UndecodableDag(dag_id, group_no, error, run_pks, attempts)
        dag_of_run = self.run_pks
        state.dags = [dag for dag in state.dags if dag.dag_pk not in damaged]
        state.tasks = [task for task in state.tasks if dag_of_run.get(task.run_pk) not in damaged]
        state.runs = [run for run in state.runs if run.dag_pk not in damaged]
        state.backfills = [backfill for backfill in state.backfills if backfill.dag_pk not in damaged]
        state.callbacks = [(callback, run) for callback, run in state.callbacks if callback.dag_pk not in damaged]
