"""What this repository copied from the folder that its repositories share is still the same, where that folder is."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
COPIES = {"tests/conformance/data": "conformance", "bench/dags": "bench/dags"}


@pytest.mark.parametrize("copy", sorted(COPIES))
def test_copies_equal_their_originals(copy: str) -> None:
    original = SHARED / COPIES[copy]
    if not original.is_dir():
        pytest.skip(f"{original.name}: the shared folder is not beside this checkout")
    if not (ROOT / copy).is_dir():
        pytest.fail(f"{copy} is missing; copy it from {original}")
    differing = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / copy).rglob("*"))
        if path.is_file() and not _equal(path, original / path.relative_to(ROOT / copy))
    ]
    assert not differing, f"these differ from {original}; copy them again: {differing}"


def _equal(copy: Path, original: Path) -> bool:
    """Bytecode that an import left behind has no original."""
    if "__pycache__" in copy.parts:
        return True
    return original.is_file() and copy.read_bytes() == original.read_bytes()
