from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.storage.remote_logs.remote_world import RemoteWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RemoteWorld]:
    """A remote folder on this machine."""
    world = RemoteWorld(tmp_path)
    yield world
    world.close()
