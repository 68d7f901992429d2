"""A task can write anything into the channel to its worker: its own attempt fails with a reason, and the worker serves the others."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tests.conformance.workerworld import WorkerWorld, ended
from tests.hostile_messages import vary_struct

from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage
from gnomon.author_code.runner.attempt_protocol import ChildDone, ChildEntered
from gnomon.model.attempts import AttemptResult, XComItem
from gnomon.model.instants import LATEST
from gnomon.model.result_checks import check_result
from gnomon.model.task_api_requests import GetVariable, SetTaskState
from gnomon.services.executors.interface import AttemptEntered


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerWorld]:
    found = WorkerWorld(tmp_path_factory.mktemp("frames"), slots=8)
    yield found
    assert found.close() == 0


def frame(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


def run_all(world: WorkerWorld, frames: dict[str, bytes]) -> dict[str, AttemptResult]:
    """The result of an attempt for each of these, whose task writes it in place of what the runner would; and the worker still runs a good task."""
    folder = world.home / "frames"
    folder.mkdir(exist_ok=True)
    attempts = {}
    file = world.dag(
        "writes",
        f"""
from gnomon.authoring.sdk.connections import channel
import pathlib
data = pathlib.Path({str(folder)!r}, ti.run_id).read_bytes()
channel._installed._socket.sendall(data)
time.sleep(0.2)
os._exit(0)
""",
    )
    for number, (name, data) in enumerate(frames.items()):
        (folder / f"r{number}").write_bytes(data)
        run = msgspec.structs.replace(world.attempt(file).run, run_id=f"r{number}")
        attempts[name] = world.attempt(file, run=run)
    world.executor.submit(world.worker_id, list(attempts.values()))
    wanted = {attempt.attempt_id for attempt in attempts.values()}
    events = world.wait(lambda events: ended(events).keys() >= wanted)
    world.executor.acknowledge(world.worker_id, list(wanted))
    for event in events:
        if isinstance(event, AttemptEntered):
            assert 0 <= event.at <= LATEST
    assert world.run(world.attempt(world.dag("good", "return 1"))).outcome == "success"
    return {name: ended(events)[attempt.attempt_id] for name, attempt in attempts.items()}


def test_a_message_that_cannot_be_read_fails_its_own_attempt(world: WorkerWorld) -> None:
    broken = {
        "no message": frame(b"\xff\xff"),
        "no UTF-8": frame(b"\x82\xa4type\xacChildEntered\xa2at\xa2\xff\xfe"),
        "too deep": frame(b"\x91" * 100_000),
        "too long": struct.pack(">I", 2**32 - 1),
        "unknown": frame(msgspec.msgpack.encode({"type": "Hello"})),
        "empty": frame(b""),
    }
    for name, result in run_all(world, broken).items():
        assert result.outcome == "failed", name
        assert "cannot be read" in (result.reason or ""), (name, result.reason)


def test_a_result_of_another_attempt_or_with_values_that_no_database_stores_fails_its_own(world: WorkerWorld) -> None:
    own = AttemptResult(attempt_id="someone else's", group_no=1, run_pk=1, task_no=1, outcome="success")
    frames = {
        "identity": own,
        "started_at": msgspec.structs.replace(own, started_at=2**62),
        "xcom": msgspec.structs.replace(own, xcoms=(XComItem(key="k\0", value="1"),)),
    }
    for name, result in run_all(
        world, {name: frame(msgspec.msgpack.encode(ChildDone(result=result))) for name, result in frames.items()}
    ).items():
        assert result.outcome == "failed" and result.attempt_id.startswith("writes"), name
        assert check_result(result, reads_values=True) is result


def list_frames() -> dict[str, bytes]:
    messages: list[Any] = [
        ChildEntered(at=1),
        TaskApiRequestMessage(number=1, request=GetVariable(key="k")),
        TaskApiRequestMessage(number=1, request=SetTaskState(key="k", value="1", retention=5)),
        ChildDone(
            result=AttemptResult(
                attempt_id="a",
                group_no=1,
                run_pk=1,
                task_no=1,
                outcome="success",
                xcoms=(XComItem(key="k", value="1"),),
            )
        ),
    ]
    found = {}
    for message in messages:
        for number, (path, plain) in enumerate(vary_struct(message, is_json=False)):
            try:
                found[f"{type(message).__name__}.{path} {number}"] = frame(msgspec.msgpack.encode(plain))
            except (OverflowError, UnicodeEncodeError):
                continue
    return found


def test_some_values_of_each_field_of_each_message_end_the_attempt_alone(world: WorkerWorld) -> None:
    frames = list_frames()
    names = list(frames)[:: max(1, len(frames) // 24)]
    check(run_all(world, {name: frames[name] for name in names}))


@pytest.mark.soak
def test_all_values_of_each_field_of_each_message_end_the_attempt_alone(world: WorkerWorld) -> None:
    frames = list_frames()
    names = list(frames)
    for first in range(0, len(names), 100):
        check(run_all(world, {name: frames[name] for name in names[first : first + 100]}))
    print(f"{len(names)} frames")


def check(results: dict[str, AttemptResult]) -> None:
    for name, result in results.items():
        assert check_result(result, reads_values=True) is result, name
        assert (result.group_no, result.run_pk, result.task_no) == (1, 1, 1) and result.attempt_id.startswith(
            "writes"
        ), name


def test_a_result_with_a_value_that_no_message_carries_names_the_field(world: WorkerWorld) -> None:
    file = world.dag(
        "carries", "raise AirflowSkipException('a')", head="from airflow.exceptions import AirflowSkipException"
    )
    assert world.run(world.attempt(file)).outcome == "skipped"
    file = world.dag(
        "surrogate",
        "raise DownstreamTasksSkipped(tasks=['a' + chr(0xdce9)])",
        head="from airflow.exceptions import DownstreamTasksSkipped",
    )
    result = world.run(world.attempt(file))
    assert (result.outcome, "skip_task_ids" in (result.reason or "")) == ("failed", True), result.reason
