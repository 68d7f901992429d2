"""What every test stands on: no Gnomon or Airflow setting of the developer's reaches a test, and no test another's options."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.config import set_ambient

_PREFIXES = ("GNOMON_", "AIRFLOW_")


@pytest.fixture(autouse=True)
def _own_options(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The home is a folder that does not exist, and options are loaded anew."""
    for name in [name for name in os.environ if name.startswith(_PREFIXES)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GNOMON_HOME", str(_nowhere(tmp_path_factory)))
    set_ambient(None)
    yield
    set_ambient(None)


def _nowhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "no-home"
