"""Options for the time of a test."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from gnomon.ground.config import set_current_config


@contextmanager
def conf_vars(overrides: Mapping[tuple[str, str], str | None]) -> Iterator[None]:
    """The environment sets these options; None: it does not set this one."""
    before = dict(os.environ)
    for (section, key), value in overrides.items():
        variable = f"AIRFLOW__{section.upper()}__{key.upper()}"
        if value is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = str(value)
    set_current_config(None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        set_current_config(None)
