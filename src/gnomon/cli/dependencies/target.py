"""Which DAG a person means, deployed or not, and the DAGs that it waits for: in its file, in the database, in the DAGs folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import tzinfo

from gnomon.cli.answers import stored_answers
from gnomon.cli.home import Home
from gnomon.cli.trial.target import by_id, every_file, in_file, is_file
from gnomon.dagfiles.facts import facts_of
from gnomon.dagfiles.pool import ParsePool
from gnomon.dagfiles.service import start_pool
from gnomon.dagfiles.settings import settings_from
from gnomon.errors.product import UserMistake
from gnomon.model.edges import edges_of
from gnomon.model.spec import DagSpec
from gnomon.report.dags import find_dag
from gnomon.report.missing import NotThere
from gnomon.sdk.timezone import find_zone
from gnomon.store import NotInitialised, dags


@dataclass(frozen=True, slots=True)
class Known:
    """A DAG and its file."""

    spec: DagSpec
    file: str
    place: str
    """Where it was found, in words."""

    @property
    def zone_name(self) -> str:
        """Whose days count for it: its timetable's zone, or its own."""
        timetable = self.spec.timetable
        own = timetable.data.get("timezone") if timetable.builtin else timetable.timezone
        name = own if isinstance(own, str) else self.spec.timezone
        return "UTC" if name.lower() == "utc" else name

    @property
    def zone(self) -> tzinfo:
        return find_zone(self.zone_name)


@dataclass(frozen=True, slots=True)
class Target:
    """A DAG, and those that it waits for."""

    dag: Known
    upstreams: dict[str, Known | None]
    """None: there is no such DAG anywhere."""


def target_of(home: Home, file_or_id: str, dag_id: str | None) -> Target:
    """The DAG of a file (`dag_id` says which), or of that id; with its upstreams. UserMistake when there is none.

    A file comes before the database, the database before the other files of the DAGs folder.
    """
    if is_file(file_or_id):
        siblings = _of_file(home, file_or_id, dag_id)
        dag = siblings.pop("")
    else:
        if dag_id is not None and dag_id != file_or_id:
            raise UserMistake(f"--dag-id goes with a file; {file_or_id!r} is the id of a DAG already")
        siblings, dag = {}, _of_id(home, file_or_id)
    wanted = sorted({edge.after.dag_id for edge in edges_of(dag.spec)})
    return Target(dag, {one: siblings.get(one) or _upstream(home, one) for one in wanted})


def all_in_folder(home: Home) -> list[DagSpec]:
    """The DAGs of all files; of two with one id the first counts."""
    with _pool(home) as pool:
        parsed = sorted(every_file(pool, settings_from(home.cfg)), key=lambda one: one.path)
    found: dict[str, DagSpec] = {}
    for dag in (dag for one in parsed for dag in one.dags):
        found.setdefault(dag.spec.dag_id, dag.spec)
    return list(found.values())


def _of_file(home: Home, path: str, dag_id: str | None) -> dict[str, Known]:
    """The DAGs of the file by id, and the one that is meant as ""."""
    with _pool(home) as pool:
        found = in_file(pool, path, dag_id)
    known = {one.spec.dag_id: Known(one.spec, found.parsed.path, "the same file") for one in found.parsed.dags}
    return {**known, "": known[found.dag.spec.dag_id]}


def _of_id(home: Home, dag_id: str) -> Known:
    try:
        with home.store() as db, db.read() as tx:
            dag = find_dag(tx, dag_id)
        return Known(dag.spec, dag.file, "the database")
    except NotInitialised:
        return _in_folder(home, dag_id)
    except NotThere as missing:
        try:
            return _in_folder(home, dag_id)
        except UserMistake:
            raise missing from None


def _upstream(home: Home, dag_id: str) -> Known | None:
    try:
        with home.store() as db, db.read() as tx:
            row = dags.find(tx, dag_id)
            if row is not None and row.active:
                return Known(find_dag(tx, dag_id).spec, row.file, "the database")
    except NotInitialised:
        pass
    try:
        return _in_folder(home, dag_id)
    except UserMistake:
        return None


def _in_folder(home: Home, dag_id: str) -> Known:
    with _pool(home) as pool:
        found = by_id(pool, settings_from(home.cfg), dag_id, None)
    return Known(found.dag.spec, found.parsed.path, "the DAGs folder")


@contextmanager
def _pool(home: Home) -> Iterator[ParsePool]:
    with closing(start_pool(home.cfg, settings_from(home.cfg), facts_of(home.cfg), home.clock)) as pool:
        pool.answers = stored_answers(home.cfg)
        yield pool
