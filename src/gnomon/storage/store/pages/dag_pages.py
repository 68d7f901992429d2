"""Pages of DAGs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.storage.store.address import POSTGRESQL
from gnomon.storage.store.pages.listing_clauses import ListingClauses
from gnomon.storage.store.pages.page_query import Condition, PageQuery
from gnomon.storage.store.pages.page_reader import count_rows, read_page
from gnomon.storage.store.record_codec import decode_planned_run
from gnomon.storage.store.statements import Statement
from gnomon.storage.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class NewestVersion:
    """Which spec a DAG has now. A spec is replaced in place when only its texts change, which changes the hash of the inputs."""

    dag_pk: int
    version_pk: int
    input_hash: str
    is_active: bool


@dataclass(frozen=True, slots=True)
class ListedDag:
    """A DAG with the results of its last parse and its planning."""

    dag_pk: int
    dag_id: str
    is_paused: bool
    is_active: bool
    version_pk: int
    input_hash: str
    next_run: PlannedRun | None
    file: str
    parsed_at: Instant
    parse_duration_s: float
    version_number: int
    version_created_at: Instant
    bundle_name: str | None
    """The DAG bundle of its file; None: the DAG folder, or the examples."""
    bundle_version: str | None
    has_import_errors: bool

    @property
    def version(self) -> NewestVersion:
        """Which spec it has."""
        return NewestVersion(self.dag_pk, self.version_pk, self.input_hash, self.is_active)


def read_dag_page(tx: Transaction, query: PageQuery) -> list[ListedDag]:
    """The DAGs of the page. The fields are those of `dag_pages.sql`; states of runs are codes."""
    page = read_page(tx, "dag_pages.page", query)
    return [
        ListedDag(
            row[0],
            row[1],
            bool(row[2]),
            bool(row[3]),
            row[4],
            row[5],
            decode_planned_run(row[6]),
            row[7],
            row[8],
            row[9],
            row[10],
            row[11],
            row[12],
            row[13],
            bool(row[14]),
        )
        for row in page.rows
    ]


def count_dags(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many DAGs meet the conditions, at most `most`."""
    return count_rows(tx, "dag_pages.count", conditions, most)


@dataclass(frozen=True, slots=True)
class DagFacet:
    """How many DAGs have a newest run in a state, and are paused or not."""

    state: DagRunState | None
    """None: they have no run."""
    is_paused: bool
    count: int


def count_dag_facets(tx: Transaction, conditions: Sequence[Condition]) -> list[DagFacet]:
    """The numbers of the DAGs that meet the conditions, of each state and each value of paused that occurs."""
    return [
        DagFacet(None if code is None else RUN_STATES_BY_CODE[code], bool(is_paused), int(count))
        for code, is_paused, count in _read_listing(tx, "dag_pages.facets", conditions)
    ]


def find_dag_keys(tx: Transaction, conditions: Sequence[Condition]) -> list[int]:
    """The keys of the DAGs that meet the conditions."""
    return [row[0] for row in _read_listing(tx, "dag_pages.keys", conditions)]


def _read_listing(tx: Transaction, name: str, conditions: Sequence[Condition]) -> list[Row]:
    """All rows of a listing that has no page."""
    statement = tx.listing(name)
    clauses = ListingClauses(statement, conditions, is_postgresql=tx.dialect == POSTGRESQL)
    text = clauses.complete(statement.text)
    return tx.all_of(Statement(statement.name, text, is_prepared=False), clauses.values)


def list_newest_versions(tx: Transaction, dag_ids: Sequence[str] | None = None) -> list[NewestVersion]:
    """The newest version of these DAGs, of all without `dag_ids`, in the order of the ids."""
    rows = (
        tx.all("dag_pages.all_versions") if dag_ids is None else tx.all("dag_pages.versions_of", dag_ids=list(dag_ids))
    )
    return [decode_version(row) for row in rows]


VersionRows = list[Row]
"""(dag_pk, version_pk, input_hash, is active, file_pk) of every DAG that has a version, by id."""


def read_version_rows(tx: Transaction) -> VersionRows:
    """As `list_newest_versions` of all, as rows: ten thousand of them are read and compared in a few milliseconds."""
    return tx.all("dag_pages.all_versions")


def read_file_paths(tx: Transaction) -> dict[int, str]:
    """The path of every file by its key; a key keeps its path."""
    return {row[0]: row[1] for row in tx.all("dag_pages.file_paths")}


def decode_version(row: Row) -> NewestVersion:
    """One of these rows."""
    return NewestVersion(row[0], row[1], row[2], bool(row[3]))


@dataclass(frozen=True, slots=True)
class VersionNumber:
    """A version of a DAG without its spec."""

    version_pk: int
    number: int
    created_at: Instant
    bundle_name: str | None = None
    bundle_version: str | None = None


def list_version_numbers(tx: Transaction, dag_pk: int) -> list[VersionNumber]:
    """The versions of the DAG, newest first."""
    return [VersionNumber(*row) for row in tx.all("dag_pages.version_numbers", dag_pk=dag_pk)]
