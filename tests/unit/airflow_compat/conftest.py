"""The dialect is enabled for these tests, and gone from this process afterwards."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.airflow_compat.missing_names import MissingModules
from gnomon.author_code.loading import dialect
from gnomon.ground.config import load_config, set_current_config


@pytest.fixture(autouse=True)
def enabled(tmp_path: Path) -> Iterator[None]:
    before = list(sys.path)
    set_current_config(load_config({}, tmp_path))
    dialect.enable()
    yield
    set_current_config(None)
    sys.path[:] = before
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, MissingModules)]
    for name in [name for name in sys.modules if name == "airflow" or name.startswith("airflow.")]:
        del sys.modules[name]
