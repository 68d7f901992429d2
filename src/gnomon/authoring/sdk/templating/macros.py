"""`macros` in templates: functions on dates as text, and modules of the standard library."""

from __future__ import annotations

import datetime as _dt
import json
import time
import uuid
from datetime import datetime, timedelta
from random import random
from typing import Any

__all__ = [
    "datetime",
    "datetime_diff_for_humans",
    "ds_add",
    "ds_format",
    "ds_format_locale",
    "json",
    "random",
    "time",
    "timedelta",
    "uuid",
]

_DAY = "%Y-%m-%d"


def ds_add(ds: str, days: int) -> str:
    """Return the date `days` days later: `ds_add("2026-01-01", 5)` is `2026-01-06`."""
    if not days:
        return str(ds)
    return (_dt.datetime.strptime(str(ds), _DAY) + _dt.timedelta(days=days)).strftime(_DAY)  # noqa: DTZ007 (a day has no zone)


def ds_format(ds: str, input_format: str, output_format: str) -> str:
    """Return the date in another format; both formats are those of strftime."""
    return _dt.datetime.strptime(str(ds), input_format).strftime(output_format)  # noqa: DTZ007


def ds_format_locale(ds: str, input_format: str, output_format: str, locale: Any = None) -> str:
    """Return the date in a format of babel, with the names of `locale`. Raises ImportError without the package babel."""
    from babel.dates import LC_TIME, format_datetime  # type: ignore[import-not-found, unused-ignore]

    moment = _dt.datetime.strptime(str(ds), input_format)  # noqa: DTZ007
    return str(format_datetime(moment, format=output_format, locale=locale or LC_TIME))


def datetime_diff_for_humans(dt: Any, since: Any = None) -> str:
    """Return the time between two moments in words: `in 2 hours`, or `2 hours before`; `since` defaults to now."""
    import pendulum  # slow to import, and few templates use it

    moment = pendulum.instance(dt)
    words = moment.diff_for_humans() if since is None else moment.diff_for_humans(pendulum.instance(since))
    return str(words)


def __getattr__(name: str) -> Any:
    """Load `macros.yaml` and `macros.dateutil` when a template uses them."""
    if name in ("yaml", "dateutil"):
        from importlib import import_module  # a name of this module is a macro

        module = import_module(name)
        if name == "dateutil":
            import_module("dateutil.parser")
            import_module("dateutil.relativedelta")
        globals()[name] = module
        return module
    raise AttributeError(f"there is no macro {name!r}")
