"""What this repository copied from the folder that its repositories share is still the same, where that folder is."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
COPIED = [
    path
    for folder in ("tests/conformance/data", "tests/conformance/cases", "bench/dags")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
]


@pytest.mark.parametrize("path", [path.relative_to(ROOT) for path in COPIED], ids=str)
def test_a_copy_equals_its_original(path: Path) -> None:
    if not SHARED.is_dir():
        pytest.skip("the shared folder is not beside this checkout")
    original = _original(path)
    assert original.is_file(), f"{path} has no original at {original}; a file of our own belongs elsewhere"
    assert (ROOT / path).read_bytes() == original.read_bytes(), f"{path} differs from {original}; copy it again"


def test_every_dag_of_the_shared_benchmark_is_here() -> None:
    originals = SHARED / "bench/dags"
    if not originals.is_dir():
        pytest.skip("the shared folder is not beside this checkout")
    wanted = {path.relative_to(originals) for path in originals.rglob("*.py")}
    assert wanted <= {path.relative_to(ROOT / "bench/dags") for path in COPIED if "dags" in path.parts}


def _original(path: Path) -> Path:
    """Where a copy comes from; the benchmark's README stands one folder higher there."""
    if path == Path("bench/dags/README.md"):
        return SHARED / "bench/README.md"
    if path.parts[0] == "bench":
        return SHARED / path
    if path.is_relative_to("tests/conformance/cases"):
        return SHARED / path.relative_to("tests/conformance")
    return SHARED / "conformance" / path.relative_to("tests/conformance/data")
