"""Every test here runs with the default options, whatever the machine's environment says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gnomon.authoring.sdk.connections import channel
from gnomon.ground.config import load_config, set_current_config


@pytest.fixture(autouse=True)
def options(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """`options(AIRFLOW__CORE__X="1")` sets options for one test."""

    def use(**environ: str) -> None:
        set_current_config(load_config(environ, home=tmp_path))

    use()
    yield use
    set_current_config(None)
    channel.install_channel(None)
