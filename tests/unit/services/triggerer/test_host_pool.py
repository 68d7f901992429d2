"""Triggers in a real host process: how they end, alone and beside others."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import NoReturn

import pytest
from tests.patience import has_text
from tests.unit.services.triggerer.conftest import Job, Running

from gnomon.ground.config import Config
from gnomon.model import serde
from gnomon.services.triggerer import host_pool
from gnomon.services.triggerer.host_protocol import LoopBlocked, TriggerTaskInstance

ENDS = [
    ("Nap", "event", None),
    ("Twice", "event", None),
    ("Success", "success", None),
    ("Failure", "failed", None),
    ("Skip", "skipped", None),
    ("Raises", "error", "ValueError: the far end hung up"),
    ("Exits", "error", "SystemExit: 3"),
    ("Empty", "error", "the trigger ended without an event"),
    ("Wrong", "error", "the trigger yielded {'not': 'an event'} (a dict)"),
    ("Coroutine", "error", "not an asynchronous generator"),
    ("BadInit", "error", "KeyboardInterrupt: in __init__"),
    ("BadCleanup", "event", None),
    ("Cancelled", "error", "CancelledError"),
    ("NotThere", "error", "has no 'NotThere'"),
]


def test_each_end_of_a_trigger_is_told_and_touches_no_other(running: Running) -> None:
    other = running.start("Nap", seconds=600)
    started = [(running.start(name), outcome, reason) for name, outcome, reason in ENDS]
    for pk, outcome, reason in started:
        fired = running.end_of(pk)
        assert fired.outcome == outcome
        assert reason is None or reason in (fired.reason or "")
    assert other not in running.ends
    assert len(running.crew) == 1


def test_only_the_first_event_counts_and_what_comes_after_it_does_not_run(running: Running, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    pk = running.start("Twice", notes=str(notes))
    assert running.end_of(pk).payload == "1"
    running.until(lambda: has_text(notes))
    assert notes.read_text() == "cleanup\n"


def test_values_come_back_as_they_went(running: Running) -> None:
    assert serde.loads(running.end_of(running.start("Nap", payload={"a": (1, {2})})).payload) == {"a": (1, {2})}
    assert serde.loads(running.end_of(running.start("Success")).xcoms["key"]) == [1, (2,)]


def test_text_that_no_database_holds_is_told_as_what_it_is_and_keeps_no_other_event(running: Running) -> None:
    odd, beside = running.start("RaisesOddly"), running.start("Nap", payload="caf\udce9")
    assert running.end_of(odd).reason == "ValueError: caf\\udce9 and \\x00"
    assert serde.loads(running.end_of(beside).payload) == "caf\udce9"


@pytest.mark.parametrize(("on_kill", "called"), [(True, "run\non_kill\ncleanup\n"), (False, "run\ncleanup\n")])
def test_a_cancelled_trigger_is_cleaned_up_and_hears_on_kill_if_somebody_ended_it(
    running: Running, tmp_path: Path, on_kill: bool, called: str
) -> None:
    notes = tmp_path / "notes"
    pk = running.start("Nap", seconds=600, notes=str(notes))
    running.until(notes.exists)
    running.crew.cancel([pk], on_kill=on_kill)
    running.until(lambda: notes.read_text().endswith("cleanup\n"))
    assert notes.read_text() == called
    assert not running.ends


def test_what_it_prints_and_logs_is_in_its_own_file_and_no_store_is_in_its_process(running: Running) -> None:
    assert running.end_of(running.start("Speaks")).payload == "[]"
    text = (running.folder / "logs" / "dag_id=d" / "run_id=r" / "task_id=t1.trigger.log").read_text()
    assert text.startswith("said aloud\n")
    assert "logged by t1" in text
    assert "said to standard error\n" in text and "UserWarning: warned of" in text
    assert running.end_of(running.start("Environment")).payload == "[]"


def test_a_trigger_that_blocks_the_loop_is_named_while_it_does(running: Running, tmp_path: Path) -> None:
    healthy = running.start("Nap", count=50, seconds=0.2)
    named: list[LoopBlocked] = []
    pk = running.start("BlocksUntil", go=str(tmp_path / "go"), pause=0.05)
    running.until(lambda: named.extend(one for one in running.crew.blocked_loops if one.task == f"d r t{pk}") or named)
    assert named[0].classpath == "authored.BlocksUntil"
    assert "time.sleep(self.kwargs" in named[0].stack
    (tmp_path / "go").touch()
    assert running.end_of(pk).payload == '"woke"'
    running.until(lambda: len(running.ends) == healthy + 1 and not running.crew.blocked_loops)


def test_one_that_blocks_for_ever_is_killed_with_its_host_and_the_others_go_on(impatient: Running) -> None:
    impatient.start("Nap", count=20, seconds=3)
    pk = impatient.start("Blocks", seconds=600)
    fired = impatient.end_of(pk)
    assert fired.outcome == "error"
    assert "blocked the event loop of all triggers for 1 s" in (fired.reason or "")
    assert "time.sleep" in (fired.traceback or "")
    impatient.until(lambda: len(impatient.ends) == 21)
    assert {one.outcome for key, one in impatient.ends.items() if key != pk} == {"event"}


def test_one_that_ends_its_process_is_found_and_the_others_go_on(running: Running) -> None:
    running.start("Nap", count=7, seconds=600)
    pk = running.start("EndsProcess")
    fired = running.end_of(pk)
    assert "with no other trigger in it (exit code 9)" in (fired.reason or "")
    assert len(running.crew) == 7
    assert list(running.ends) == [pk]


@pytest.mark.parametrize("pause", [0, 0.01])
def test_a_copy_of_the_process_that_a_trigger_makes_runs_no_trigger(
    running: Running, tmp_path: Path, pause: float
) -> None:
    notes, go = tmp_path / "notes", tmp_path / "go"
    others = running.start("Waits", count=20, go=str(go))
    forks = running.start("Forks", notes=str(notes), pause=pause)
    assert (running.end_of(forks).outcome, running.end_of(forks).payload) == ("event", "1")
    go.touch()
    running.until(lambda: len(running.ends) == others + 1)
    assert {one.outcome for one in running.ends.values()} == {"event"}
    assert notes.read_text() == "went on\ncleanup\n"
    text = (running.folder / "logs" / "dag_id=d" / "run_id=r" / f"task_id=t{forks}.trigger.log").read_text()
    assert "returned to the event loop and was ended" in text and "failed" not in text
    assert running.crew.crash_count == 0


def test_a_fork_that_raises_shows_its_error_in_the_log_of_the_trigger(running: Running) -> None:
    pk = running.start("ForkRaises")
    assert (running.end_of(pk).outcome, running.end_of(pk).payload) == ("event", "1")
    assert (
        "ValueError: only the fork fails"
        in (running.folder / "logs" / "dag_id=d" / "run_id=r" / f"task_id=t{pk}.trigger.log").read_text()
    )


def test_the_failure_of_a_trigger_that_reconfigured_logging_is_in_its_log(running: Running) -> None:
    pk = running.start("Reconfigures")
    assert running.end_of(pk).reason == "ValueError: after dictconfig"
    text = (running.folder / "logs" / "dag_id=d" / "run_id=r" / f"task_id=t{pk}.trigger.log").read_text()
    assert "the trigger failed\nTraceback" in text and text.endswith("ValueError: after dictconfig\n")


def test_processes_that_a_trigger_starts_are_terminated(running: Running) -> None:
    assert serde.loads(running.end_of(running.start("Terminates")).payload) == [[1, 2], -15, -15]


def test_an_error_whose_text_cannot_be_made_is_told(running: Running) -> None:
    text = "E: <its text cannot be made: ValueError: no str>"
    assert running.end_of(running.start("NoText")).reason == text
    assert (
        running.end_of(running.start("NoText", group=True)).reason == f"ExceptionGroup: all (1 sub-exception): {text}"
    )


def test_triggers_of_a_host_that_was_killed_begin_anew(running: Running, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    pk = running.start("Waits", go=str(tmp_path / "go"), notes=str(notes))
    running.until(lambda: notes.exists() and notes.read_text() == "run\n")
    for host in running.crew._hosts:
        os.kill(host.process.pid, signal.SIGKILL)
    running.until(lambda: notes.read_text().splitlines().count("run") == 2)
    (tmp_path / "go").touch()
    assert running.end_of(pk).outcome == "event"


def test_what_a_trigger_started_is_gone_with_its_host(running: Running, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    assert running.end_of(running.start("StartsAnother", notes=str(notes))).outcome == "event"
    running.until(lambda: is_gone(int(notes.read_text().split()[0])))


def test_a_trigger_that_ended_its_process_is_started_again_in_a_host_of_its_own(running: Running) -> None:
    """As that of a watcher, which is started again after each failure: it ends no host of others a second time."""
    running.start("Nap", seconds=600)
    bad = running.start("EndsItsProcess")
    failed = running.end_of(bad)
    assert failed.outcome == "error" and "exit code 9" in (failed.reason or "")
    running.until(lambda: all(host.is_ready for host in running.crew._hosts))
    hosts = {host.process.pid for host in running.crew._hosts}
    del running.ends[bad]
    job = Job(bad, "authored.EndsItsProcess")
    running.crew.start([(job, TriggerTaskInstance(dag_id="d", run_id="r", task_id="t"))])
    assert (
        running.end_of(bad).reason
        == "the process of the trigger ended again, the last time with no other trigger in it (exit code 9)"
    )
    assert {host.process.pid for host in running.crew._hosts} == hosts, "no other host has ended"


def is_gone(pid: int) -> bool:
    """Whether nothing of the process is left but, at most, its number."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_reload_runs_changed_code_and_loses_no_trigger(running: Running, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    pks = [running.start("Nap", seconds=600, payload="old"), running.start("Nap", seconds=600, notes=str(notes))]
    running.until(notes.exists)
    file = tmp_path / "plugins" / "authored.py"
    file.write_text(file.read_text().replace('asyncio.sleep(self.kwargs.get("seconds", 0))', "asyncio.sleep(0)"))
    running.crew.reload()
    assert [running.end_of(pk).outcome for pk in pks] == ["event", "event"]
    assert running.crew.crash_count == 0


def test_a_reload_that_gets_no_new_host_keeps_the_old_one_and_its_events(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, go = tmp_path / "notes", tmp_path / "go"
    waits = running.start("Waits", notes=str(notes), go=str(go))
    sleeps = running.start("Nap", seconds=600, payload="old")
    cancelled = running.start("Nap", seconds=600)
    running.until(notes.exists)
    refused: list[int] = []

    def refuse(_environ: object) -> NoReturn:
        refused.append(1)
        raise OSError(errno.EAGAIN, "no more processes")

    file = tmp_path / "plugins" / "authored.py"
    file.write_text(file.read_text().replace('asyncio.sleep(self.kwargs.get("seconds", 0))', "asyncio.sleep(0)"))
    with monkeypatch.context() as patch:
        patch.setattr(host_pool, "start_host", refuse)
        running.crew.reload()
        running.crew.cancel([cancelled], on_kill=True)
        assert refused and len(running.crew) == 2
        go.touch()
        assert running.end_of(waits).outcome == "event"
        running.until(running.crew.take_finished_on_kills)
        assert running.ends.keys() == {waits}
    assert running.end_of(sleeps).outcome == "event", "it begins anew in the host that starts later"
    running.until(lambda: len(running.crew._hosts) == 1)
    assert notes.read_text() == "run\ncleanup\n", "it ran once"
    assert running.crew.crash_count == len(running.crew) == 0


def test_reloads_replace_every_host_where_no_more_hosts_may_run(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_pool, "HOSTS_MAX", 1)
    running.start("Nap", seconds=600)
    pids: set[int] = set()

    def alone() -> bool:
        pids.update(host.process.pid for host in running.crew._hosts)
        (*others, host) = running.crew._hosts
        return not others and host.is_ready and not host.outdated

    running.until(alone)
    running.crew.reload()
    running.crew.reload()
    running.until(alone)
    assert (len(pids), len(running.crew), running.crew.crash_count) == (3, 1, 0)


def test_a_reload_remembers_nothing_of_the_old_host(running: Running) -> None:
    for _ in range(3):
        running.start("Nap", seconds=600)
    running.until(lambda: running.crew._hosts[0].is_ready)
    running.crew.reload()
    running.until(lambda: len(running.crew._hosts) == 1 and running.crew._hosts[0].is_ready)
    assert len(running.crew) == len(running.crew._jobs) == 3


def test_a_crew_that_stops_cleans_up(running: Running, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    running.start("Nap", seconds=600, notes=str(notes))
    running.until(notes.exists)
    running.crew.stop(10)
    running.until(running.crew.has_ended)
    assert notes.read_text() == "run\ncleanup\n"
    assert not running.ends


def test_a_waiting_trigger_takes_little_memory(running: Running) -> None:
    running.start("Nap", seconds=0)
    running.until(lambda: running.ends)
    pid = running.crew._hosts[0].process.pid
    before = _private(pid)
    last = running.start("Nap", count=2000, seconds=600)
    probe = running.start("Nap")
    running.end_of(probe)
    print(f"{(_private(pid) - before) / 2000:.0f} bytes a waiting trigger of {last}")
    assert len(running.crew) == 2000


def _private(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_Dirty"))


def test_on_kill_of_a_trigger_that_runs_nowhere_is_called_on_one_made_from_its_arguments(
    running: Running, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    job = Job(7, "authored.Nap", serde.dumps({"seconds": 600, "notes": str(notes)}))
    running.crew.start_on_kill([(job, TriggerTaskInstance(dag_id="d", run_id="r", task_id="t"))])
    closed: list[int] = []
    running.until(lambda: closed.extend(running.crew.take_finished_on_kills()) or closed)
    assert closed == [7]
    assert notes.read_text() == "on_kill\ncleanup\n"
    assert not running.ends
    assert len(running.crew) == 0


def test_a_trigger_is_closed_when_it_has_heard_on_kill_and_not_before(running: Running, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    pk = running.start("Nap", seconds=600, notes=str(notes))
    running.until(notes.exists)
    running.crew.cancel([pk, 1000], on_kill=True)
    assert running.crew.take_finished_on_kills() == [1000], "nothing runs that could hear it"
    closed: list[int] = []
    running.until(lambda: closed.extend(running.crew.take_finished_on_kills()) or closed)
    assert closed == [pk]
    assert notes.read_text().endswith("on_kill\ncleanup\n")


@pytest.mark.parametrize(("always", "called"), [(False, "on_kill\non_kill\ncleanup\n"), (True, "on_kill\non_kill\n")])
def test_an_on_kill_that_ended_with_its_host_is_called_once_more(
    running: Running, tmp_path: Path, always: bool, called: str
) -> None:
    notes, told = tmp_path / "notes", tmp_path / "told"
    pk = running.start("KillEndsProcess", seconds=600, notes=str(notes), told=str(told), always=always)
    running.until(notes.exists)
    running.crew.cancel([pk], on_kill=True)
    closed: list[int] = []
    running.until(lambda: closed.extend(running.crew.take_finished_on_kills()) or closed)
    assert closed == [pk]
    assert notes.read_text() == f"run\n{called}"


def test_one_that_ignores_its_end_is_named_and_counts_no_longer(cfg: Config, tmp_path: Path) -> None:
    running = Running(cfg, unresponsive_s=0.2)
    notes = tmp_path / "notes"
    pk = running.start("Stubborn", notes=str(notes))
    running.until(notes.exists)
    running.crew.cancel([pk], on_kill=True)
    assert len(running.crew) == 0
    named: list[tuple[object, float]] = []
    running.until(lambda: named.extend(running.crew.take_unresponsive()) or named)
    assert [job.trigger_pk for job, seconds in named if seconds > 0.2] == [pk]  # type: ignore[attr-defined]
    assert running.crew.take_finished_on_kills() == [pk]
    assert running.crew.take_unresponsive() == []
    assert not any(host.numbers for host in running.crew._hosts), "an idle host ends"
    running.crew.kill()
