"""Which file is parsed next."""

from __future__ import annotations

import pytest

from gnomon.model.spec import FileInputs, ParsedFile, ParseFailure
from gnomon.services.dagfiles.parse_queue import ParseQueue
from gnomon.services.dagfiles.settings import SLOW_AFTER_S, SLOW_MAX

pytestmark = pytest.mark.pure


def agenda(files: dict[str, int] | None = None, **options) -> ParseQueue:
    made = ParseQueue(**{"processes": 2, "reparse_s": 30.0, **options})
    made.update_listing(files or {})
    return made


def outcome(path: str, *, further: bool = False, kind: str | None = None, took: float = 0.01) -> ParsedFile:
    failures = () if kind is None else (ParseFailure(kind=kind, message=f"{path}: {kind}"),)
    return ParsedFile(
        path=path, inputs=FileInputs(input_hash="h", has_volatile_import=further), failures=failures, duration_s=took
    )


def finish(plan: ParseQueue, path: str, now: float, **how) -> None:
    plan.finish_parse(outcome(path, **how), now)


def test_the_file_changed_last_is_first():
    plan = agenda({"/old": 1, "/new": 3, "/middle": 2}, processes=3)

    assert plan.take_next({}, 0) == ["/new", "/middle", "/old"]


def test_alphabetical_order_is_by_path():
    plan = agenda({"/c": 1, "/a": 2, "/b": 3}, processes=3, sort_mode="alphabetical")

    assert plan.take_next({}, 0) == ["/a", "/b", "/c"]


def test_the_order_by_host_is_the_same_every_time_and_holds_all():
    files = {f"/{name}": 0 for name in range(20)}
    first, second = (agenda(files, processes=20, sort_mode="random_seeded_by_host").take_next({}, 0) for _ in range(2))

    assert first == second
    assert sorted(first) == sorted(files)
    assert first != sorted(files)


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_so_many_at_a_time_as_there_are_processes(processes):
    plan = agenda({f"/{number}": 0 for number in range(10)}, processes=processes)

    first = plan.take_next({}, 0)

    assert len(first) == processes
    assert plan.take_next(dict.fromkeys(first, 0.1), 0) == []
    assert len(plan.take_next(dict.fromkeys(first[1:], 0.1), 0)) == 1


def test_a_file_is_in_one_process_at_a_time_and_parsed_again_when_it_changed_meanwhile():
    plan = agenda({"/a": 1})
    assert plan.take_next({}, 0) == ["/a"]

    plan.enqueue("/a")
    assert plan.take_next({"/a": 0.5}, 1) == []
    finish(plan, "/a", 2)

    assert plan.take_next({}, 2) == ["/a"]
    finish(plan, "/a", 3)
    assert plan.take_next({}, 3) == []


def test_slow_parses_leave_their_places_to_others_up_to_a_bound():
    plan = agenda({f"/{number}": 0 for number in range(20)}, processes=1)
    running: dict[str, float] = {}
    for _ in range(20):
        running = dict.fromkeys(running, SLOW_AFTER_S + 1)
        running.update(dict.fromkeys(plan.take_next(running, 0), 0.0))

    assert len(running) == 1 + SLOW_MAX


def test_a_file_known_as_slow_takes_no_place_from_the_others():
    plan = agenda({"/slow": 9, "/a": 1, "/b": 2}, processes=1)
    plan.take_next({}, 0)
    finish(plan, "/slow", 10, took=SLOW_AFTER_S + 1)
    plan.enqueue("/slow")

    started = plan.take_next({}, 100)

    assert set(started) == {"/slow", "/b"}


def test_a_file_that_is_written_all_the_time_waits_behind_the_others():
    plan = agenda({"/busy": 9}, processes=1)
    plan.take_next({}, 0)
    finish(plan, "/busy", 1)
    plan.update_listing({"/busy": 10, "/waits": 1})
    plan.enqueue("/busy")

    assert plan.take_next({}, 1.1) == ["/waits"]


def test_only_what_has_volatile_import_is_due_again():
    plan = agenda({"/plain": 1, "/further": 2})
    plan.take_next({}, 0)
    finish(plan, "/plain", 1)
    finish(plan, "/further", 1, further=True)

    assert plan.enqueue_due(2) == 31
    assert plan.take_next({}, 2) == []
    assert plan.enqueue_due(31) is None
    assert plan.take_next({}, 31) == ["/further"]


def test_a_failure_that_took_long_is_left_alone_longer():
    plan = agenda({"/hangs": 1})
    plan.take_next({}, 0)
    finish(plan, "/hangs", 30, further=True, kind="timeout", took=30.0)

    assert plan.enqueue_due(31) == 330


def test_a_new_file_lets_failed_imports_try_again():
    plan = agenda({"/needs": 1, "/broken": 1, "/good": 1}, processes=3)
    plan.take_next({}, 0)
    finish(plan, "/needs", 1, further=True, kind="import")
    finish(plan, "/broken", 1, kind="syntax")
    finish(plan, "/good", 1)

    plan.enqueue_failed_imports()

    assert plan.take_next({}, 10) == ["/needs"]


def test_a_forgotten_file_is_neither_started_nor_a_reader():
    plan = agenda({"/a": 1})
    plan.restore_file("/b", FileInputs(input_hash="h", paths=(("/helper", "s"),)), 0)
    assert plan.readers("/helper") == {"/b"}

    plan.remove_file("/a")
    plan.remove_file("/b")

    assert plan.take_next({}, 0) == []
    assert plan.readers("/helper") == set()


def test_who_listed_a_folder_reads_what_comes_into_it():
    plan = agenda()
    plan.restore_file("/dag.py", FileInputs(input_hash="h", paths=(("/conf/", "s"), ("/conf/a.yaml", "s"))), 0)

    assert plan.readers("/conf/new.yaml") == {"/dag.py"}
    assert plan.readers("/conf") == {"/dag.py"}
    assert plan.readers("/elsewhere/new.yaml") == set()
