"""The options of the process that author code runs in: defaults of DAG arguments, `airflow.configuration.conf`."""

from __future__ import annotations

from gnomon.config.config import Config
from gnomon.config.environment import environment
from gnomon.config.load import load_config

_ambient: Config | None = None


def ambient() -> Config:
    """This process's options: those it was given, else loaded from its environment once."""
    global _ambient
    if _ambient is None:
        _ambient = load_config(environment())
    return _ambient


def set_ambient(config: Config | None) -> None:
    """`ambient()` answers with these from now on; None: loads again at its next use."""
    global _ambient
    _ambient = config
