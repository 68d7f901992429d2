"""The private home of a trial: the options of the real one, a database and logs of its own, gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gnomon.config import Config, load_config
from gnomon.config.environment import environment


@contextmanager
def private_home(cfg: Config) -> Iterator[Config]:
    """The options for a trial of what `cfg` describes."""
    with tempfile.TemporaryDirectory(prefix="gnomon-test-", ignore_cleanup_errors=True) as folder:
        yield load_config({**environment(), **spoken(cfg), **_private(cfg, folder)}, Path(folder))


def spoken(cfg: Config) -> dict[str, str]:
    """Every option that somebody set, wherever, as the environment would say it."""
    return {
        f"GNOMON__{setting.option.key.variable}": cfg.text(*setting.option.key)
        for setting in cfg.settings()
        if setting.source != "default"
    }


def _private(cfg: Config, folder: str) -> dict[str, str]:
    return {
        "GNOMON__CORE__DAGS_FOLDER": str(cfg.dags_folder),
        "GNOMON__CORE__PLUGINS_FOLDER": str(cfg.plugins_folder),
        "GNOMON__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{folder}/gnomon.db",
        "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL",
        "GNOMON__LOGGING__BASE_LOG_FOLDER": f"{folder}/logs",
    }
