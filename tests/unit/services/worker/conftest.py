from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerWorld]:
    """One worker for all tests of a file."""
    world = WorkerWorld(tmp_path_factory.mktemp("w"))
    yield world
    assert world.close() == 0


@pytest.fixture
def own_world(tmp_path: Path) -> Iterator[WorkerWorld]:
    """A worker that a test may ruin."""
    world = WorkerWorld(tmp_path / "w")
    yield world
    world.close()
