"""Every field of every report of a worker with values at and past each limit, on both databases: no round fails, no request is answered 500, no other group waits.

The short form takes a part of the variants, the same in each run; the long one all of them, then combinations of two fields by a seed that it prints, until
FUZZ_S seconds (3600 without it) are over. FUZZ_SEED repeats one.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.hostileworld import Alteration, HostileWorld, hostile_world, soak_until
from tests.databases import BOTH, new_database
from tests.hostile_messages import list_fields, vary_struct

from gnomon.model.assets import AssetEmission, AssetKey
from gnomon.model.attempts import AttemptResult, XComItem
from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest, HITLRespondent
from gnomon.model.result_checks import IDENTITY

SHORT = 620
"""Variants of the short form."""
BATCH = 100
SETTLED = {"success", "failed", "skipped", "up_for_retry", "up_for_reschedule", "deferred", "awaiting_input"}
RUNS_AGAIN = {"lost", "up_for_reschedule", "deferred", "awaiting_input"}
"""Outcomes after which the attempt is repeated: what it reports each time may run for ever, with pauses of its own."""
QUESTION = HITLRequest(
    subject="Go?",
    options=("yes", "no"),
    body="Today",
    defaults=("no",),
    params={"n": {"value": 1}},
    assigned_users=(HITLRespondent("u", "User"),),
)
WAIT = Deferral(
    classpath="a.B", kwargs='{"n": 1}', next_method="go", next_kwargs="{}", timeout_s=900.0, queue="q", ends_task=False
)
TEMPLATES: dict[str, dict[str, Any]] = {
    "success": {
        "xcoms": (XComItem(key="k", value='{"n": 1}'),),
        "skip_task_ids": ("x",),
        "return_length": 1,
        "rendered_map_index": "m",
        "rendered_fields": '{"f": "v"}',
        "asset_events": (
            AssetEmission(asset=AssetKey("n", "u://x"), extra={"n": 1}, aliases=("al",), partition_key="p"),
        ),
        "fresh_reason": None,
    },
    "failed": {"reason": "r", "exit_code": 1, "retry_delay_s": 1.0},
    "up_for_reschedule": {"resume_at": 1_772_355_700_000_000},
    "deferred": {"wait": WAIT},
    "awaiting_input": {"wait": msgspec.structs.replace(WAIT, queue=None, timeout_s=None, due_in_s=60.0, hitl=QUESTION)},
}


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with new_database(request.param, tmp_path) as address:
        yield address


@pytest.fixture
def world(url: str, tmp_path: Path) -> Iterator[HostileWorld]:
    with hostile_world(url, tmp_path) as found:
        yield found


def list_variants() -> list[tuple[str, dict[str, Any]]]:
    """(path, fields of the result) of each variant that the decoder of a worker's frames lets through; the identity is varied too."""
    found = []
    for outcome, fields in TEMPLATES.items():
        template = AttemptResult(
            attempt_id="a", group_no=0, run_pk=0, task_no=0, outcome=outcome, started_at=1, ended_at=2, **fields
        )
        for path, plain in vary_struct(template, is_json=False):
            try:
                result = msgspec.msgpack.decode(msgspec.msgpack.encode(plain), type=AttemptResult)
            except (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError):
                continue
            if path in ("attempt_id", "group_no"):
                continue  # another attempt's, or none's: no engine waits for it
            changed = path.split(".")[0]
            names = [name for name in AttemptResult.__struct_fields__ if name == changed or name not in IDENTITY]
            found.append((f"{outcome}: {path}", {name: getattr(result, name) for name in names}))
    return found


def alter(fields: dict[str, Any]) -> Alteration:
    return lambda result: msgspec.structs.replace(result, **fields)


def check(world: HostileWorld, variants: list[tuple[str, dict[str, Any]]]) -> None:
    for first in range(0, len(variants), BATCH):
        batch = variants[first : first + BATCH]
        ended, honest = world.run([alter(fields) for _, fields in batch])
        assert set(honest) == {"success"}
        for (path, fields), (state, reason) in zip(batch, ended, strict=True):
            assert state in SETTLED or (state is not None and fields["outcome"] in RUNS_AGAIN), (
                path,
                fields,
                state,
                reason,
            )
    assert world.failed_rounds == 0


def test_the_scheduler_applies_each_field_of_a_result(world: HostileWorld) -> None:
    variants = list_variants()
    paths = {path for path, _ in variants}
    assert paths >= {
        f"success: {name}"
        for name in list_fields(AttemptResult(attempt_id="a", group_no=0, run_pk=0, task_no=0, outcome="success"))
        if name not in IDENTITY
    }
    step = max(1, len(variants) // SHORT)
    check(world, variants[::step])


@pytest.mark.soak
@pytest.mark.parametrize("kind", BOTH)
def test_the_scheduler_applies_whatever_a_worker_reports(kind: str, tmp_path: Path) -> None:
    until = soak_until(os.environ.get("FUZZ_S"))
    seed = int(os.environ.get("FUZZ_SEED") or time.time_ns() % 2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    variants = list_variants()
    todo, count = rng.sample(variants, len(variants)), 0
    while time.monotonic() < until:
        batch, todo = (
            todo[: 3 * BATCH],
            todo[3 * BATCH :] or [combine(*rng.sample(variants, 2)) for _ in range(3 * BATCH)],
        )
        folder = tmp_path / str(count)
        folder.mkdir()
        with new_database(kind, folder) as url, hostile_world(url, folder) as world:
            check(world, batch)
        count += len(batch)
    print(f"{count} results")


def combine(one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """The first variant with the field of the second."""
    field = other[0].split(": ")[1].split(".")[0]
    return f"{one[0]} + {other[0]}", {**one[1], field: other[1][field]}
