#!/usr/bin/env python3
"""`known_vulnerabilities.py LOCK...`: asks the package index for known vulnerabilities of the versions in lock files.

An index offers them at /pypi/NAME/VERSION/json, beside its /simple. Exit code 1: there are some. An index that offers nothing, or does not answer, is
named, and the exit code is 0: nothing was checked.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIMEOUT_S = 10
LIMIT_S = 120
"""For all questions together."""
_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


def read_pins(locks: list[Path]) -> list[tuple[str, str]]:
    """Name and version of each package of the lock files."""
    return sorted({(name.lower(), version) for lock in locks for name, version in _PIN.findall(lock.read_text())})


def find_index() -> str | None:
    """The address below which the index of pip answers with JSON; None when pip has an index without one."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    named = re.findall(r"^(?:global|install|:env:)\.index-url='([^']+)'", listed, re.MULTILINE)
    if not named:
        code = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
        named = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout.split()
    url = named[-1].rstrip("/") if named else ""
    return f"{url.removesuffix('/simple')}/pypi" if url.endswith("/simple") and url.startswith("http") else None


def find_vulnerabilities(index: str, name: str, version: str) -> list[str] | None:
    """The vulnerabilities of a version, with the versions without them; None when the index does not say."""
    try:
        with urllib.request.urlopen(f"{index}/{name}/{version}/json", timeout=TIMEOUT_S) as answer:
            found = json.loads(answer.read(4_000_000)).get("vulnerabilities")
    except (OSError, ValueError, AttributeError):
        return None
    if not isinstance(found, list):
        return None
    return [
        f"{one.get('id')}: {str(one.get('summary') or '')[:100]} (without it: {', '.join(one.get('fixed_in') or ()) or 'no version'})"
        for one in found
        if not one.get("withdrawn")
    ]


def check(index: str | None, pins: list[tuple[str, str]]) -> int:
    """Print what is known about the versions; returns the exit code."""
    if not pins or index is None or find_vulnerabilities(index, *pins[0]) is None:
        print(f"Known vulnerabilities of {len(pins)} packages were not checked: the index of pip does not offer them")
        return 0
    until = time.monotonic() + LIMIT_S
    with ThreadPoolExecutor(8) as threads:
        found = list(
            threads.map(lambda pin: find_vulnerabilities(index, *pin) if time.monotonic() < until else None, pins)
        )
    unknown = [name for (name, _), vulnerabilities in zip(pins, found, strict=True) if vulnerabilities is None]
    vulnerable = [(pin, vulnerabilities) for pin, vulnerabilities in zip(pins, found, strict=True) if vulnerabilities]
    for (name, version), vulnerabilities in vulnerable:
        print(f"{name} {version} has known vulnerabilities:", *vulnerabilities, sep="\n  ")
    print(
        f"{len(pins) - len(unknown)} of {len(pins)} packages checked, {len(vulnerable)} with known vulnerabilities"
        + (f"; the index did not say for {', '.join(unknown)}" if unknown else "")
    )
    return 1 if vulnerable else 0


if __name__ == "__main__":
    sys.exit(check(find_index(), read_pins([Path(name) for name in sys.argv[1:]])))
