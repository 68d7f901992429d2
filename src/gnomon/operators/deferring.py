"""How an operator waits when its author says nothing."""

from __future__ import annotations

from gnomon.sdk import options


def is_deferred(given: bool | None) -> bool:
    """What was given as `deferrable`, else the option [operators] default_deferrable."""
    return options.boolean("operators", "default_deferrable") if given is None else bool(given)
