"""The executors that `[core] executor` names."""

from __future__ import annotations

from gnomon.ground.config.config import Config
from gnomon.model.executors import ConfiguredExecutors, parse_executors


def read_executors(cfg: Config) -> ConfiguredExecutors:
    """The executors in the order of the option, which was checked when the configuration was loaded."""
    return parse_executors(cfg.text("core", "executor"))
