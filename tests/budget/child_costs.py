"""What one real child of a worker takes: page faults and modules up to the end of its task; the system calls of its life, and the frames about it."""

from __future__ import annotations

import json
import re
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.workerworld import WorkerWorld
from tests.debian_packages import require_program

from gnomon.author_code.processes.message_stream import FrameDecoder, MessageStream

CHILDREN = 15
WARM_UP = 3
"""The first children, which are not counted: the worker forks a zygote for the file, and modules load what is loaded late."""
TASK = """
import resource
return [resource.getrusage(resource.RUSAGE_SELF).ru_minflt, len(sys.modules), os.getpid()]
"""
_CALL = re.compile(r"(\d+) +(\w+)\(")


def count_child() -> dict[str, int]:
    """The middle of some children: minor page faults (pages that it wrote, or that it was the first to touch) and modules."""
    with tempfile.TemporaryDirectory(prefix="g-") as folder:
        faults, modules, _ = zip(*_run_children(Path(folder)), strict=True)
    return {"page faults": int(statistics.median(faults)), "modules": max(modules)}


def count_system_calls() -> dict[str, int]:
    """The system calls of a child from its first to its last, by name. Needs strace."""
    strace = require_program(("strace",), "strace")
    with tempfile.TemporaryDirectory(prefix="g-") as folder:
        trace = Path(folder) / "trace"
        children = list(_run_children(Path(folder), (strace, "-D", "-f", "-qq", "-o", str(trace))))
        calls: dict[str, Counter[str]] = {str(pid): Counter() for *_, pid in children}
        for line in trace.read_text().splitlines():
            match = _CALL.match(line)
            if match is not None and match[1] in calls:
                calls[match[1]][match[2]] += 1
    names = {name for made in calls.values() for name in made}
    middle = {f"call {name}": int(statistics.median(made[name] for made in calls.values())) for name in sorted(names)}
    return {"system calls": sum(middle.values()), **{name: number for name, number in middle.items() if number}}


def count_frames() -> dict[str, int]:
    """The frames between a scheduler and a worker for one task, by kind."""
    kinds: Counter[str] = Counter()
    put, feed = MessageStream.put, FrameDecoder.feed

    def count_put(stream: MessageStream[Any], message: msgspec.Struct) -> None:
        kinds[f"frame {type(message).__name__}"] += 1
        put(stream, message)

    def count_fed(decoder: FrameDecoder[Any], data: bytes) -> Iterator[Any]:
        for message in feed(decoder, data):
            kinds[f"frame {type(message).__name__}"] += 1
            yield message

    with tempfile.TemporaryDirectory(prefix="g-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(MessageStream, "put", count_put)
        patch.setattr(FrameDecoder, "feed", count_fed)
        children = len(list(_run_children(Path(folder), on_warm=kinds.clear)))
    middle = {kind: round(number / children) for kind, number in sorted(kinds.items())}
    return {"frames": sum(middle.values()), **{kind: number for kind, number in middle.items() if number}}


def _run_children(
    folder: Path, prefix: Sequence[str] = (), on_warm: Callable[[], None] | None = None
) -> Iterator[list[int]]:
    """What each child returned, without the first ones; `on_warm` is called between."""
    world = WorkerWorld(folder / "w", prefix=prefix)
    try:
        file = world.dag("counts", TASK)
        for number in range(CHILDREN):
            if number == WARM_UP and on_warm is not None:
                on_warm()
            result = world.run(world.attempt(file))
            if number >= WARM_UP:
                yield json.loads(result.xcoms[0].value)
    finally:
        world.close()
