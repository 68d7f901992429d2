"""Author code in a host process: whatever it does is a sentence on its own DAG, and nobody else's concern."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.author_code.timetable_host.asking import HASTE, Asking

from gnomon.author_code.timetable_host import subprocess_host
from gnomon.model.errors import GnomonError


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    made = Asking(tmp_path)
    yield made
    made.hosts.close()


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Asking]:
    made = Asking(tmp_path, HASTE)
    yield made
    made.hosts.close()


def test_a_timetable_of_the_plugins_folder_is_asked_for_all_that_is_due(asking: Asking) -> None:
    assert asking.runs("a", "well", hours=3) == 3
    assert asking.runs("b", "well", hours=150) == 100


@pytest.mark.parametrize("mood", ["fork_returns", "fork_raises", "fork_is_terminated"])
def test_a_fork_that_a_timetable_makes_answers_nothing(asking: Asking, mood: str) -> None:
    assert asking.runs("a", mood, hours=3) == 3
    assert asking.runs("b", "well", hours=3) == 3


@pytest.mark.parametrize("mood", ["no_text", "no_text_of_invalid"])
def test_an_error_whose_text_cannot_be_made_is_told(asking: Asking, mood: str) -> None:
    assert "<its text cannot be made: ValueError: no str>" in asking.error("a", mood)


def test_slow_calls_that_are_fine_one_by_one_are_fine_together(hasty: Asking) -> None:
    assert hasty.runs("slow", "slow", hours=30) == 30  # 1.5 s, while one call may take 0.6


@pytest.mark.parametrize("mood", ["hang", "spin", "swallow"])
def test_a_call_that_never_returns_is_named_with_its_line(hasty: Asking, mood: str) -> None:
    told = hasty.error("a", mood)
    assert re.match(
        r"Moody\.next_dagrun_info did not answer within 0\.6 s \(it was at .*moody\.py, line \d+\); fix the timetable",
        told,
    )


def test_a_call_that_hangs_in_compiled_code_is_ended_from_outside_and_named_with_its_line(hasty: Asking) -> None:
    told = hasty.error("a", "hang_in_c")
    place = f"{hasty.plugin}, line {hasty.line_of('itertools.repeat')}"
    assert told == f"Moody.next_dagrun_info did not answer within 0.6 s (it was at {place}); fix the timetable"


def test_a_crash_is_named_with_signal_and_line(asking: Asking) -> None:
    told = asking.error("a", "crash")
    assert told.startswith(
        "the process of Moody.next_dagrun_info crashed with signal 11 (SIGSEGV), a crash inside a compiled library (it was at"
    )
    assert f"{asking.plugin}, line {asking.line_of('string_at')}" in told


def test_a_timetable_that_ends_its_process_is_told(asking: Asking) -> None:
    assert "exit code 3" in asking.error("a", "leave")


def test_sys_exit_is_an_error_like_any(asking: Asking) -> None:
    told = asking.error("a", "sys_exit")
    assert "Moody.next_dagrun_info" in told and "SystemExit" in told and "enough" in told


def test_memory_has_a_limit_that_becomes_an_error(asking: Asking) -> None:
    assert "MemoryError" in asking.error("a", "eat")
    assert asking.runs("b", "well") == 3


@pytest.mark.parametrize(("mood", "told"), [("naive", "naive datetime"), ("garbage", "return a DagRunInfo or None")])
def test_nonsense_is_told_with_class_and_method(asking: Asking, mood: str, told: str) -> None:
    sentence = asking.error("a", mood)
    assert sentence.startswith("Moody.next_dagrun_info") and told in sentence


@pytest.mark.parametrize("mood", ["hang", "hang_in_c", "crash", "leave", "eat"])
def test_a_bad_one_between_good_ones_costs_them_nothing(hasty: Asking, mood: str) -> None:
    for number in range(10):
        hasty.ask(f"before{number}", "well")
    hasty.ask("bad", mood)
    for number in range(30):
        hasty.ask(f"after{number}", "well")
    hasty.until("bad", *(f"before{number}" for number in range(10)), *(f"after{number}" for number in range(30)))
    assert [name for name, answer in hasty.answers.items() if answer.error is not None] == ["bad"]


def test_what_hung_once_is_asked_apart_until_it_is_well(hasty: Asking) -> None:
    file = str(hasty.home / "dags" / "one.py")
    hasty.error("first", "hang_once", file=file)
    hasty.runs("others", "well")
    hasty.ask("second", "hang_once", file=file, hours=100)  # takes 5 s
    hasty.ask("meanwhile", "well")
    hasty.until("meanwhile")
    assert "second" not in hasty.answers
    hasty.until("second")


@pytest.mark.parametrize("mood", ["hang", "leave"])
def test_many_bad_ones_of_a_class_delay_the_others_once(hasty: Asking, mood: str) -> None:
    (hasty.home / "plugins" / "merry.py").write_text(hasty.plugin.read_text().replace("Moody", "Merry"))
    for number in range(12):
        hasty.ask(f"bad{number}", mood)
    for number in range(20):
        hasty.ask(f"good{number}", "well", path="merry.Merry")
    hasty.until(*(f"good{number}" for number in range(20)))
    assert len([name for name in hasty.answers if name.startswith("bad")]) <= 6  # of twelve, one after the other
    assert all(answer.error is None for name, answer in hasty.answers.items() if name.startswith("good"))


def test_a_slow_answer_holds_up_no_other_and_is_asked_for_apart_until_it_is_fast(asking: Asking) -> None:
    file = str(asking.home / "dags" / "slow.py")
    asking.ask("slow", "wait", file=file)
    for number in range(20):
        asking.ask(f"other{number}", "well")
    asking.until(*(f"other{number}" for number in range(20)))
    assert "slow" not in asking.answers and len(asking.hosts._queues) == 3
    go = asking.plugin.with_name("moody.py.go")
    go.touch()
    asking.until("slow")
    assert asking.answers["slow"].error is None and asking.hosts._suspects
    asking.hosts.collect()
    assert len(asking.hosts._queues) == 2, "its process has ended"
    asking.runs("again", "wait", file=file)
    assert not asking.hosts._suspects


def test_calls_of_two_classes_that_hang_hold_up_the_others_for_less_than_the_limit_of_one_call(asking: Asking) -> None:
    for name in ("Merry", "Sad"):
        (asking.home / "plugins" / f"{name.lower()}.py").write_text(asking.plugin.read_text().replace("Moody", name))
        asking.ask(
            name, "wait", path=f"{name.lower()}.{name}"
        )  # for ever, and without taking the processor from the others
    asking.ask("well", "well")
    asking.until("well")
    assert asking.answers.keys() == {"well"} and asking.answers["well"].error is None


def test_while_many_requests_are_slow_the_others_wait_for_one_of_them(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess_host, "HELD_QUEUES_MAX", 0)
    asking.ask("slow", "wait")
    asking.ask("other", "well")
    asking.plugin.with_name("moody.py.go").touch()
    asking.until("slow", "other")
    assert len(asking.hosts._queues) == 2 and all(answer.error is None for answer in asking.answers.values())


def test_what_author_code_prints_fills_nothing(asking: Asking) -> None:
    assert asking.runs("a", "chat", hours=3) == 3
    assert asking.runs("b", "chat", hours=3) == 3


def test_a_changed_plugin_is_imported_anew_also_within_the_second(asking: Asking) -> None:
    assert asking.runs("a", "well", hours=4) == 4
    asking.plugin.write_text(asking.plugin.read_text().replace("hours=1", "hours=2"))
    assert asking.runs("b", "well", hours=4) == 2


def test_a_file_from_the_future_is_imported_once(asking: Asking) -> None:
    ahead = time.time() + 10_000
    os.utime(asking.plugin, (ahead, ahead))
    asking.runs("a", "well")
    first = asking.hosts.filenos()
    assert asking.runs("b", "well") == 3 and asking.hosts.filenos() == first


def test_other_inputs_of_the_dag_file_are_a_new_process(asking: Asking) -> None:
    (asking.home / "plugins" / "hours.txt").write_text("1")
    text = asking.plugin.read_text().replace("hours=1", "hours=HOURS")
    asking.plugin.write_text(f"HOURS = int(open({str(asking.home / 'plugins' / 'hours.txt')!r}).read())\n{text}")
    file = str(asking.home / "dags" / "one.py")
    assert asking.runs("a", "well", hours=4, file=file) == 4
    (asking.home / "plugins" / "hours.txt").write_text("2")
    assert asking.runs("b", "well", hours=4, file=file) == 4
    assert asking.runs("c", "well", hours=4, file=file, input_hash="2") == 2


def test_a_class_that_is_gone_and_one_that_was_never_there_are_sentences(asking: Asking) -> None:
    assert asking.error("a", "well", path="moody.Merry").startswith("moody.Merry cannot be loaded")
    assert "no module 'sullen'" in asking.error("b", "well", path="sullen.Sullen")
    asking.runs("c", "well")
    asking.plugin.unlink()
    assert "no module 'moody'" in asking.error("d", "well")


def test_a_plugin_that_cannot_be_imported_is_told(asking: Asking) -> None:
    asking.plugin.write_text("import nothing_like_it\n")
    assert "nothing_like_it" in asking.error("a", "well")
    asking.plugin.write_text("x = 1 / 0\n")
    assert "ZeroDivisionError" in asking.error("b", "well")


def test_an_import_that_never_ends_is_told(tmp_path: Path) -> None:
    asking = Asking(tmp_path, {"GNOMON__CORE__DAGBAG_IMPORT_TIMEOUT": "0.5"})
    asking.plugin.write_text("while True:\n    pass\n")
    try:
        told = asking.error("a", "well")
    finally:
        asking.hosts.close()
    assert told.startswith(f"importing {asking.plugin} did not answer within 0.5 s")


def test_a_class_in_the_dag_file_itself_is_found_by_its_file(asking: Asking) -> None:
    from gnomon.author_code.loading.dagfile import module_name

    file = asking.home / "dags" / "own.py"
    file.write_text(asking.plugin.read_text())
    asking.plugin.unlink()
    path = f"{module_name(str(file))}.Moody"
    assert asking.runs("a", "well", path=path, file=str(file)) == 3
    file.unlink()
    assert "own.py" in asking.error("b", "well", path=path, file=str(file), input_hash="2")


def test_a_host_process_has_no_store_and_no_descriptor_of_ours(asking: Asking) -> None:
    asking.plugin.write_text(
        asking.plugin.read_text()
        + """
    def look(self, moment):
        import os, sys
        bad = sorted({"sqlalchemy", "psycopg", "sqlite3", "gnomon.storage.store"} & sys.modules.keys())
        raise ValueError(f"{bad} {sorted(os.listdir('/proc/self/fd'), key=int)}")
"""
    )
    secret, other = os.pipe()
    os.set_inheritable(secret, True)
    try:
        told = asking.error("a", "look")
    finally:
        os.close(secret)
        os.close(other)
    assert "ValueError: [] ['0', '1', '2', '3'" in told


def test_an_interpreter_that_does_not_start_is_told(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert "ended at its start (exit code 1)" in asking.error("a", "well")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert "no process can be started" in asking.error("b", "well")


def test_author_code_is_answered_while_other_questions_wait(tmp_path: Path) -> None:
    def answered(question: object) -> object:
        asked.append(question)
        return "2"

    asked: list[object] = []
    asking = Asking(tmp_path, answers=answered)
    text = asking.plugin.read_text().replace("hours=1", "hours=int(Variable.get('hours'))")
    asking.plugin.write_text(f"from airflow.models import Variable\n{text}")
    try:
        for number in range(5):
            asking.ask(f"dag{number}", "well", hours=4)
        asking.until(*(f"dag{number}" for number in range(5)))
        assert {answer.error for answer in asking.answers.values()} == {None}
        assert asking.runs("again", "well", hours=4) == 2 and len(asked) >= 10
    finally:
        asking.hosts.close()


def test_author_code_that_is_refused_hears_why(tmp_path: Path) -> None:
    def refused(question: object) -> object:
        raise GnomonError("the database is away")

    asking = Asking(tmp_path, answers=refused)
    asking.plugin.write_text("from airflow.models import Variable\nhours = Variable.get('hours')\n")
    try:
        assert "the database is away" in asking.error("a", "well")
    finally:
        asking.hosts.close()
