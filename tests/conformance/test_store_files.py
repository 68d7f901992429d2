"""What a parse found becomes DAGs, versions and errors; nothing is removed for lack of news."""

from __future__ import annotations

import json
import time
import zlib

import pytest
from msgspec.structs import replace
from tests.conformance.storeworld import AT, World, parsed, spec
from tests.patience import PATIENCE_S

from gnomon.model.spec import ParamSpec, ParseFailure
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.parsed_files import dag_files, dag_versions
from gnomon.storage.store.parsed_files.dag_files import FileRecordResult


def told(world: World) -> list[int]:
    """The DAGs whose owners were told since the last call."""
    with world.db.write() as tx:
        letters = mailbox.read_messages(tx, range(64), 100_000)
        tx.many("mailbox.remove", [(letter.mail_pk,) for letter in letters])
    return sorted(json.loads(letter.body)["dag_pk"] for letter in letters)


def test_a_new_file_makes_its_dags_known(world: World) -> None:
    outcome = world.record(parsed("/f.py", spec("one", ["x", "y"]), spec("two", paused_upon_creation=True)))[0]
    assert outcome == FileRecordResult(("one", "two"), (), ())
    one, two = world.state().dags
    assert (one.dag_id, one.spec, one.task_numbers) == ("one", spec("one", ["x", "y"]), {"x": 0, "y": 1})
    assert (one.file, one.input_hash, one.active, one.paused, two.paused) == ("/f.py", "1", True, False, True)
    assert told(world) == [one.dag_pk, two.dag_pk]


def test_new_dags_are_paused_by_default_when_asked_for(world: World) -> None:
    world.record(parsed("/f.py", spec("one"), spec("two", paused_upon_creation=False)), paused=True)
    assert [dag.paused for dag in world.state().dags] == [True, False]


def test_an_unchanged_file_changes_nothing(world: World) -> None:
    world.record(parsed("/f.py", spec("one")))
    told(world)
    before = world.state()
    assert world.record(parsed("/f.py", spec("one")))[0] == FileRecordResult((), (), ())
    assert world.state() == before
    assert told(world) == []


def test_what_people_read_is_refreshed_without_a_new_version(world: World) -> None:
    world.record(parsed("/f.py", spec("one"), spec("two")))
    told(world)
    before = world.read_dag("one")
    reworded = spec("one", description="clearer", tags=("new",), params={"n": ParamSpec(default=2)})
    file = parsed("/f.py", reworded, spec("two"))
    hashed = replace(
        file, dags=(replace(file.dags[0], spec_hash=parsed("/f.py", spec("one")).dags[0].spec_hash), file.dags[1])
    )
    assert world.record(hashed)[0] == FileRecordResult((), (), ())
    after = world.read_dag("one")
    assert (after.spec, after.version_pk) == (reworded, before.version_pk)
    assert told(world) == [before.dag_pk]
    assert world.record(hashed)[0] == FileRecordResult((), (), ())
    assert told(world) == []


def test_a_changed_spec_is_a_new_version_and_the_old_one_stays(world: World) -> None:
    world.record(parsed("/f.py", spec("one", ["a", "b"])))
    first = world.read_dag("one")
    assert world.record(parsed("/f.py", spec("one", ["b", "c"]), input_hash="2"))[0].new_versions == ("one",)
    second = world.read_dag("one")
    assert second.version_pk != first.version_pk
    assert second.plan_seq > first.plan_seq
    with world.db.read() as tx:
        assert group_state.load_specs(tx, [first.version_pk, second.version_pk]) == {
            first.version_pk: first.spec,
            second.version_pk: second.spec,
        }


def test_each_version_keeps_the_source_that_it_had_last(world: World) -> None:
    def record(source: bytes, tasks: list[str], input_hash: str) -> None:
        world.record(
            replace(
                parsed("/f.py", spec("one", tasks), spec("two", tasks), input_hash=input_hash),
                source=zlib.compress(source),
            )
        )

    record(b"first", ["x"], "1")
    record(b"first, reworded", ["x"], "2")
    record(b"second", ["x", "y"], "3")
    dag_pk = world.read_dag("one").dag_pk
    with world.db.read() as tx:
        assert [dag_versions.read_version_source(tx, dag_pk, number) for number in (1, 2, 3)] == [
            b"first, reworded",
            b"second",
            None,
        ]


def test_task_numbers_are_append_only_and_never_reused(world: World) -> None:
    world.record(parsed("/f.py", spec("one", ["a", "b"])))
    world.record(parsed("/f.py", spec("one", ["c"])))
    world.record(parsed("/f.py", spec("one", ["d", "b", "a"])))
    assert world.read_dag("one").task_numbers == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_changed_inputs_alone_make_no_version_but_the_owner_is_told(world: World) -> None:
    world.record(parsed("/f.py", spec("one")))
    first = world.read_dag("one")
    told(world)
    assert world.record(parsed("/f.py", spec("one"), input_hash="2"))[0].new_versions == ()
    second = world.read_dag("one")
    assert (second.input_hash, second.version_pk) == ("2", first.version_pk)
    assert told(world) == [first.dag_pk]


def test_a_dag_missing_from_a_good_parse_is_deactivated_and_comes_back_with_its_past(world: World) -> None:
    world.record(parsed("/f.py", spec("one"), spec("two")))
    two = world.read_dag("two")
    told(world)
    assert world.record(parsed("/f.py", spec("one")))[0].deactivated == ("two",)
    assert not world.read_dag("two").active
    assert told(world) == [two.dag_pk]
    world.record(parsed("/f.py", spec("one"), spec("two")))
    back = world.read_dag("two")
    assert (back.active, back.dag_pk, back.version_pk) == (True, two.dag_pk, two.version_pk)


def test_a_failed_file_keeps_its_dags_with_the_error_beside(world: World) -> None:
    world.record(parsed("/f.py", spec("one")))
    before = world.read_dag("one")
    failure = ParseFailure(kind="syntax", message="line 3 is no Python", line=3, traceback="Traceback ...")
    outcome = world.record(parsed("/f.py", input_hash="2", failures=[failure]))[0]
    assert outcome == FileRecordResult((), (failure,), ())
    assert world.read_dag("one") == before
    with world.db.read() as tx:
        error = dag_files.list_import_errors(tx)[0]
        assert (error.path, error.kind, error.message, error.line, error.traceback, error.at) == (
            "/f.py",
            "syntax",
            "line 3 is no Python",
            3,
            "Traceback ...",
            AT,
        )
        assert [row.failed for row in dag_files.list_files(tx)] == [True]
    world.record(parsed("/f.py", spec("one"), input_hash="3"))
    with world.db.read() as tx:
        assert dag_files.list_import_errors(tx) == []


def test_a_file_in_which_one_dag_is_wrong_deactivates_nothing(world: World) -> None:
    world.record(parsed("/f.py", spec("one"), spec("two")))
    failure = ParseFailure(kind="dag", message="DAG 'two' has a cycle")
    world.record(parsed("/f.py", spec("one"), failures=[failure]))
    assert world.read_dag("two").active


def test_a_dag_id_belongs_to_the_first_file_while_that_one_exists(world: World) -> None:
    world.record(parsed("/a.py", spec("one", ["a"])))
    outcome = world.record(parsed("/b.py", spec("one", ["b"]), spec("two")))[0]
    assert outcome.new_versions == ("two",)
    assert [error.kind for error in outcome.errors] == ["duplicate"]
    assert "/a.py" in outcome.errors[0].message
    assert "/b.py" in outcome.errors[0].message
    assert world.read_dag("one").file == "/a.py"
    with world.db.write() as tx:
        gone = dag_files.record_deleted_files(tx, ["/a.py"], AT)
    assert (gone.deactivated, gone.parse_again) == (("one",), ("/b.py",))
    with world.db.read() as tx:
        assert dag_files.list_stale_files(tx) == ["/b.py"]
    world.record(parsed("/b.py", spec("one", ["b"]), spec("two")))
    assert (world.read_dag("one").file, world.read_dag("one").active) == ("/b.py", True)
    with world.db.read() as tx:
        assert dag_files.list_stale_files(tx) == []
        assert dag_files.list_import_errors(tx) == []


def test_an_id_twice_in_one_file_is_an_error_and_the_first_stands(world: World) -> None:
    outcome = world.record(parsed("/f.py", spec("one", ["first"]), spec("one", ["second"])))[0]
    assert [error.kind for error in outcome.errors] == ["duplicate"]
    assert world.read_dag("one").task_numbers == {"first": 0}


def test_a_deleted_file_is_forgotten_and_may_come_back(world: World) -> None:
    world.record(parsed("/f.py", spec("one"), failures=[ParseFailure(kind="dag", message="x")]))
    with world.db.write() as tx:
        assert dag_files.record_deleted_files(tx, ["/f.py", "/unknown.py"], AT).deactivated == ("one",)
        assert dag_files.record_deleted_files(tx, ["/f.py"], AT).deactivated == ()
        assert dag_files.list_files(tx) == []
        assert dag_files.list_import_errors(tx) == []
    assert not world.read_dag("one").active
    world.record(parsed("/f.py", spec("one")))
    assert world.read_dag("one").active
    with world.db.read() as tx:
        assert [row.path for row in dag_files.list_files(tx)] == ["/f.py"]


def test_inputs_read_back_as_they_were_recorded(world: World) -> None:
    one = parsed("/f.py", spec("one"))
    world.record(one)
    with world.db.read() as tx:
        row = dag_files.list_files(tx)[0]
    assert (row.inputs, row.parsed_at, row.failed, row.stale) == (one.inputs, AT, False, False)


def test_a_reason_against_forking_lasts_until_the_inputs_change(world: World) -> None:
    world.record(parsed("/f.py", spec("one")))
    with world.db.write() as tx:
        dag_files.require_fresh_interpreter(tx, "/f.py", "a thread was left")
    world.record(parsed("/f.py", spec("one")))
    assert world.read_dag("one").fresh == "a thread was left"
    world.record(parsed("/f.py", spec("one"), input_hash="2"))
    assert world.read_dag("one").fresh is None


@pytest.mark.parametrize("input_hash", ["1", "2"])
def test_a_file_of_ten_thousand_dags_is_recorded_in_seconds(world: World, input_hash: str) -> None:
    many = parsed("/many.py", *(spec(f"dag_{n}", ["a", "b", "c"]) for n in range(10_000)))
    started = time.perf_counter()
    assert len(dag_files.record_file_in_parts(world.db, many, at=AT, paused_by_default=False).new_versions) == 10_000
    renewed = replace(many, inputs=replace(many.inputs, input_hash=input_hash))
    assert dag_files.record_file_in_parts(world.db, renewed, at=AT, paused_by_default=False) == FileRecordResult(
        (), (), ()
    )
    assert time.perf_counter() - started < PATIENCE_S
    assert world.count("SELECT count(*) FROM dag WHERE active AND version_pk IS NOT NULL") == 10_000
    assert world.count("SELECT count(*) FROM task_name") == 30_000
    with world.db.read() as tx:
        assert dag_files.list_stale_files(tx) == []


def test_a_file_recorded_in_parts_is_as_one_recorded_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dag_files, "DAGS_PER_TRANSACTION", 2)
    world.record(parsed("/other.py", spec("d3")))
    world.record(parsed("/f.py", *(spec(f"d{n}") for n in (7, 8))))
    five = parsed("/f.py", *(spec(f"d{n}") for n in range(5)), spec("d0", ["again"]))
    outcome = dag_files.record_file_in_parts(world.db, five, at=AT, paused_by_default=False)
    assert outcome.new_versions == ("d0", "d1", "d2", "d4")
    assert [error.kind for error in outcome.errors] == ["duplicate", "duplicate"]
    assert outcome.deactivated == ("d7", "d8")
    assert sorted(dag.dag_id for dag in world.state().dags if dag.active) == ["d0", "d1", "d2", "d3", "d4"]
    empty = dag_files.record_file_in_parts(world.db, parsed("/f.py"), at=AT, paused_by_default=False)
    assert empty.deactivated == ("d0", "d1", "d2", "d4")


def test_a_process_that_ends_between_two_parts_leaves_a_file_to_parse_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dag_files, "DAGS_PER_TRANSACTION", 1)
    writes = iter([world.db.write])
    monkeypatch.setattr(world.db, "write", lambda: next(writes)())
    with pytest.raises(StopIteration):
        dag_files.record_file_in_parts(
            world.db, parsed("/f.py", spec("one"), spec("two")), at=AT, paused_by_default=False
        )
    assert [dag.dag_id for dag in world.state().dags] == ["one"]
    with world.db.read() as tx:
        assert dag_files.list_stale_files(tx) == ["/f.py"]


def test_a_bundle_moves_to_another_version_and_the_owners_of_its_dags_are_told(world: World) -> None:
    of_bundle = [
        replace(parsed(f"/b/{name}.py", spec(name), spec(f"{name}_2")), bundle_name="team", bundle_version="old")
        for name in ("one", "two", "broken")
    ]
    world.record(
        *of_bundle,
        replace(parsed("/b/new.py", spec("new")), bundle_name="team", bundle_version="new"),
        parsed("/f.py", spec("other")),
    )
    world.record(
        replace(of_bundle[2], dags=(), failures=(ParseFailure(kind="dag", message="wrong"),), bundle_version="new")
    )
    told(world)
    with world.db.write() as tx:
        assert dag_files.move_to_bundle_version(tx, "team", "new", AT) == 2
    moved = {dag.dag_pk for dag in world.state().dags if dag.dag_id.startswith(("one", "two"))}
    assert len(moved) == 4 and told(world) == sorted(moved)
    assert {dag.dag_id: dag.bundle_version for dag in world.state().dags} == {
        "one": "new",
        "one_2": "new",
        "two": "new",
        "two_2": "new",
        "broken": "old",
        "broken_2": "old",
        "new": "new",
        "other": None,
    }
    with world.db.write() as tx:
        assert dag_files.move_to_bundle_version(tx, "team", "new", AT) == 0
    assert told(world) == []
