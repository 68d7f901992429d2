"""What files say of dependencies between DAGs, seen over all files: errors that stand on the DAGs, come and go by themselves."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.databases import create_schema

from gnomon import DAG, After, Asset, dependencies
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.dependencies import Shape
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config, set_current_config
from gnomon.ground.wakeups import Notifier
from gnomon.model.errors import ResourceUnavailable
from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile
from gnomon.services.dagfiles.database_file_registry import DatabaseFileRegistry
from gnomon.services.dagfiles.file_registry import RegistryUnavailable
from gnomon.storage import store
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dags as stored_dags
from gnomon.storage.store.ownership import commit, group_state

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class Files:
    """A ledger over a new database, told of files as the processor would."""

    def __init__(self, folder: Path) -> None:
        url = f"sqlite:///{folder / 'gnomon.db'}"
        create_schema(url)
        self.db = store.open_database(url)
        self._bell = Notifier(folder / "run")
        self.ledger = self.another_ledger()
        self.parses = 0

    def another_ledger(self) -> DatabaseFileRegistry:
        """That of a dag-processor that has just started."""
        self.ledger = DatabaseFileRegistry(self.db, SystemClock(), self._bell, paused_by_default=False)
        return self.ledger

    def parsed(self, name: str, dags: Sequence[ParsedDag]) -> ParsedFile:
        self.parses += 1
        return ParsedFile(path=f"/{name}.py", inputs=FileInputs(input_hash=str(self.parses)), dags=tuple(dags))

    def write(self, *dags: ParsedDag, name: str | None = None) -> None:
        """A file with these DAGs, named after the first, was parsed."""
        self.ledger.record_outcomes([self.parsed(name or dags[0].spec.dag_id, dags)])

    def remove(self, name: str) -> None:
        self.ledger.remove_files([f"/{name}.py"])

    def errors(self) -> dict[str, str]:
        """What stands, by DAG."""
        with self.db.read() as tx:
            ids = {row.dag_pk: row.dag_id for row in stored_dags.list_dags(tx)}
            return {ids[dag_pk]: error for dag_pk, error in dag_edges.list_dependency_errors(tx).items()}

    def circles(self) -> dict[str, str]:
        """What stands, by DAG: the circles in it alone."""
        return {dag_id: error.partition("period: ")[2].partition(" (")[0] for dag_id, error in self.errors().items()}


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Files]:
    set_current_config(load_config({}, home=tmp_path))
    made = Files(tmp_path)
    yield made
    made.db.close()
    set_current_config(None)


def dag(
    dag_id: str, *waits: str | After, schedule: Any = "@daily", tasks: Sequence[str] = (), **waiting: After
) -> ParsedDag:
    """A DAG that waits for these; tasks that wait for others are `task=After(...)`."""
    with DAG(
        dag_id,
        schedule=schedule,
        start_date=START,
        depends_on=[After(one) if isinstance(one, str) else one for one in waits],
    ) as made:
        for task_id in tasks:
            BaseOperator(task_id=task_id)
        for task_id, after in waiting.items():
            BaseOperator(task_id=task_id, depends_on=after)
    return build_dag_spec(made, f"/{dag_id}.py")


def test_a_circle_over_two_files_stands_on_both_dags_and_on_no_other(files: Files) -> None:
    files.write(dag("a", "b"))
    files.write(dag("other", "a"))
    assert files.errors() == {}
    files.write(dag("b", "a"))
    assert files.circles() == {"a": "a -> b -> a", "b": "b -> a -> b"}


def test_it_goes_with_the_dependency_and_comes_again(files: Files) -> None:
    files.write(dag("a", "b"))
    files.write(dag("b", "a"))
    files.write(dag("b", After("a", previous=1)))
    assert files.errors() == {}
    files.write(dag("b", "a", tasks=["new"]))
    assert set(files.errors()) == {"a", "b"}


def test_it_goes_with_the_file_and_comes_back_with_it(files: Files) -> None:
    one = dag("b", "a")
    files.write(dag("a", "b"))
    files.write(one)
    files.remove("b")
    assert files.errors() == {}
    files.write(one)
    assert set(files.errors()) == {"a", "b"}


def test_a_circle_is_told_as_it_is_now(files: Files) -> None:
    files.write(dag("a", "b"))
    files.write(dag("b", "a"))
    files.write(dag("c", "a"))
    files.write(dag("b", "c"))
    assert files.circles() == {"a": "a -> b -> c -> a", "b": "b -> c -> a -> b", "c": "c -> a -> b -> c"}


def test_a_change_of_the_tasks_alone_may_close_a_circle(files: Files) -> None:
    files.write(dag("a", tasks=["early"], late=After("b")))
    files.write(dag("b", After("a", task_id="early")))
    assert files.errors() == {}
    with DAG("a", schedule="@daily", start_date=START) as other:
        BaseOperator(task_id="late", depends_on=After("b")) >> BaseOperator(task_id="early")
    files.write(build_dag_spec(other, "/a.py"))
    assert files.circles() == {"a": "a.early -> a.late -> b -> a.early", "b": "b -> a.early -> a.late -> b"}


def test_an_upstream_without_slots_is_the_error_of_who_waits_for_it_and_goes_with_a_schedule(files: Files) -> None:
    files.write(dag("report", "by_hand"))
    files.write(dag("by_hand", schedule=None))
    assert list(files.errors()) == ["report"]
    assert "which has no slots to wait for: it has no schedule; give 'by_hand' a schedule" in files.errors()["report"]
    files.write(dag("by_hand", schedule="@once"))
    assert "it runs once" in files.errors()["report"]
    files.write(dag("by_hand", schedule="@hourly"))
    assert files.errors() == {}


def test_the_owner_is_told_once_and_what_was_planned_is_refused(files: Files) -> None:
    files.write(dag("a", "b"))
    before = _record(files, "a")
    assert before.dependency_error is None
    files.write(dag("b", "a"))
    record = _record(files, "a")
    assert record.dependency_error is not None
    assert record.plan_seq == before.plan_seq + 1
    letters = _letters(files)
    files.write(dag("c"))
    assert (_letters(files), _record(files, "a").plan_seq) == (letters + 1, record.plan_seq)


def test_a_processor_that_starts_finds_what_the_last_one_left_undone(files: Files) -> None:
    files.write(dag("a", "b"))
    files.write(dag("b", "a"))
    with files.db.write() as tx:
        dag_edges.set_dependency_errors(tx, {_record(files, "a").dag_pk: None})
    assert set(files.errors()) == {"b"}
    files.another_ledger().list_stale()
    assert set(files.errors()) == {"a", "b"}


def test_while_the_store_is_away_the_look_is_put_off_and_made_up(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write(dag("a", "b"))
    with monkeypatch.context() as patched:
        patched.setattr(dag_edges, "list_connected_dags", _raises(ResourceUnavailable("gone")))
        files.write(dag("b", "a"))
        files.ledger.list_stale()
    assert files.errors() == {}
    files.ledger.list_stale()
    assert set(files.errors()) == {"a", "b"}


def test_a_record_that_the_store_broke_off_leaves_the_look_to_be_made_up(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(dag("a", "b"))
    files.write(dag("b", "a"))
    with files.db.write() as tx:
        dag_edges.set_dependency_errors(tx, {_record(files, "a").dag_pk: None})
    with monkeypatch.context() as patched:
        patched.setattr(
            "gnomon.services.dagfiles.database_file_registry.dag_files.record_parsed_files",
            _raises(ResourceUnavailable("gone")),
        )
        with pytest.raises(RegistryUnavailable):
            files.write(dag("c"))
    files.ledger.list_stale()
    assert set(files.errors()) == {"a", "b"}


def test_a_look_that_fails_leaves_files_on_record(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("gnomon.services.dagfiles.dependency_check.errors_of", _raises(RuntimeError("ours")))
        files.write(dag("a", "b"))
        files.write(dag("b", "a"))
    with files.db.read() as tx:
        assert [row.dag_id for row in stored_dags.list_dags(tx) if row.active] == ["a", "b"]
    files.write(dag("c"))
    assert set(files.errors()) == {"a", "b"}


def test_all_are_searched_again_only_where_one_that_waits_or_is_waited_for_is_another(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(dag("a", "b"))
    files.write(dag("b", "a"))
    searched: list[set[str]] = []

    def errors_of(shapes: dict[str, Shape]) -> dict[str, str]:
        searched.append(set(shapes))
        return really(shapes)

    really = dependencies.errors_of
    monkeypatch.setattr("gnomon.services.dagfiles.dependency_check.errors_of", errors_of)
    files.write(dag("c"))
    files.write(dag("c", tasks=["t"]))
    files.remove("c")
    assert (searched, set(files.errors())) == ([], {"a", "b"})
    files.write(dag("b", "a", tasks=["t"]))
    assert searched == [{"a", "b"}]
    files.write(dag("b", tasks=["t"]))
    files.write(dag("b", schedule=None))
    assert len(searched) == 3 and "which has no slots to wait for" in files.errors()["a"]


def test_a_refused_duplicate_changes_nothing(files: Files) -> None:
    files.write(dag("a", "b"))
    files.write(dag("b"))
    files.write(dag("b", "a"), name="copy")
    assert files.errors() == {}


def test_a_deleted_dag_that_comes_back_from_its_file_is_looked_at(files: Files) -> None:
    one = dag("b", "a")
    files.write(dag("a", "b"))
    files.write(one)
    with files.db.write() as tx:
        commit.delete_dags(tx, [_pk(tx, "b")])
    files.write(one)
    assert files.circles() == {"a": "a -> b -> a", "b": "b -> a -> b"}


def test_when_nothing_has_changed_nothing_is_read(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write(dag("a", "b"))
    monkeypatch.setattr(dag_edges, "list_connected_dags", _raises(AssertionError))
    monkeypatch.setattr(dag_edges, "list_dependency_errors", _raises(AssertionError))
    assert files.ledger.list_stale() == set()


def test_only_specs_of_new_versions_among_the_dags_of_the_graph_are_read(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write(dag("up"))
    files.write(*[dag(f"d{number}", "up") for number in range(5)])
    files.write(dag("apart"))
    read: list[int] = []
    whole = group_state.load_specs
    monkeypatch.setattr(group_state, "load_specs", lambda tx, keys: whole(tx, read.extend(keys) or keys))
    files.write(dag("apart", tasks=["t"]))
    assert read == []
    files.write(dag("up", tasks=["t"]))
    assert len(read) == 1
    files.write(dag("d0", "up", tasks=["t"]))
    assert len(read) == 2


def _record(files: Files, dag_id: str) -> Any:
    with files.db.read() as tx:
        return group_state.load_dags(tx, [_pk(tx, dag_id)])[0]


def _pk(tx: store.Transaction, dag_id: str) -> int:
    row = stored_dags.find_dag_row(tx, dag_id)
    assert row is not None
    return row.dag_pk


def _letters(files: Files) -> int:
    with files.db.read() as tx:
        return len(mailbox.read_messages(tx, range(64), 1000))


def _raises(error: BaseException | type[BaseException]) -> Callable[..., Any]:
    def raising(*_: object, **__: object) -> Any:
        raise error

    return raising


def test_a_name_with_two_uris_stands_on_the_later_dag_and_goes_when_the_files_agree(files: Files) -> None:
    def with_asset(dag_id: str, uri: str) -> ParsedDag:
        return build_dag_spec(DAG(dag_id, schedule=[Asset("orders", uri)]), f"/{dag_id}.py")

    files.write(with_asset("early", "s3://one/key"))
    files.write(with_asset("late", "s3://two/key"))
    error = files.errors()["late"]
    assert list(files.errors()) == ["late"]
    assert "asset 'orders' has the uri 's3://two/key' in " in error
    assert "and the uri 's3://one/key' in " in error
    assert "(DAG 'early', which was first): give both the same uri, or rename one of them" in error
    assert error.count("test_dependency_check.py:") == 2
    files.write(with_asset("early", "s3://two/key"))
    assert files.errors() == {}
