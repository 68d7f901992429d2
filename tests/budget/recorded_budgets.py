"""The recorded budgets: `budgets.json`, and what is said when a count differs from it. `python -m tests.budget.record` writes it anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "budgets.json"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""Calls are counted for each Python: 3.12 calls no function for a comprehension."""
TOLERANCE = 0.03
NAMED_MAX = 10
LEAST_SHARE = 0.002
"""Parts with a smaller share of the sums are not recorded."""
SUMS = (
    "Python calls",
    "statements",
    "rows written",
    "bytes written",
    "modules",
    "page faults",
    "system calls",
    "frames",
)
RECORD = "if the difference is meant, record it: python -m tests.budget.record"


class Counts(NamedTuple):
    """What one thing takes: sums, which have a budget, and the parts that explain them."""

    sums: dict[str, int]
    parts: dict[str, int]


def split(counts: dict[str, int]) -> Counts:
    """The sums of counts, and their parts."""
    return Counts(
        {key: number for key, number in counts.items() if key in SUMS},
        {key: number for key, number in counts.items() if key not in SUMS},
    )


def count_in_process(module: str, *arguments: str) -> dict[str, dict[str, int]]:
    """What the program of tests prints. It runs with a fixed hash seed: the order in sets changes what is called."""
    environ = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, int]] = json.loads(done.stdout)
    return found


def read(name: str) -> dict[str, int]:
    """The recorded counts of a thing; empty when none are recorded for this Python."""
    recorded: dict[str, dict[str, int]] = json.loads(FILE.read_text()).get(PYTHON, {}) if FILE.exists() else {}
    return recorded.get(name, {})


def find_difference(name: str, counts: dict[str, int], tolerance: float = TOLERANCE) -> str | None:
    """What differs from the record by more than the tolerance, with the parts that grew most; None without a difference."""
    recorded, now = split(read(name)), split(counts)
    more = {key for key, number in now.sums.items() if number > recorded.sums.get(key, 0) * (1 + tolerance)}
    less = {key for key, number in now.sums.items() if number < recorded.sums.get(key, 0) * (1 - tolerance)}
    if not more and not less:
        return None
    lines = [f"{name}: {key} {recorded.sums.get(key, 0):,} -> {now.sums[key]:,}" for key in sorted(more | less)]
    if more:
        least = _least(recorded.sums)
        grown = {key: number - recorded.parts.get(key, min(number, least)) for key, number in now.parts.items()}
        largest = sorted(grown.items(), key=lambda item: -item[1])[:NAMED_MAX]
        lines += [f"  {key}: {growth:+,}" for key, growth in largest if growth > 0]
    return "\n".join([*lines, RECORD])


def write(everything: dict[str, dict[str, int]]) -> None:
    """Record these counts for this Python."""
    recorded = json.loads(FILE.read_text()) if FILE.exists() else {}
    recorded[PYTHON] = {name: _drop_small_parts(counts) for name, counts in everything.items()}
    FILE.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")


def _least(sums: dict[str, int]) -> int:
    return int(
        max(sums.get(key, 0) for key in ("Python calls", "modules", "page faults", "system calls", "frames"))
        * LEAST_SHARE
    )


def _drop_small_parts(counts: dict[str, int]) -> dict[str, int]:
    sums, parts = split(counts)
    least = _least(sums)
    return {
        **sums,
        **{
            key: number
            for key, number in parts.items()
            if number >= least or key.startswith(("statement ", "call ", "frame "))
        },
    }
