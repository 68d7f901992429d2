"""The name of this machine in logs, `/health` and task instances: the option `[core] hostname_callable`."""

from __future__ import annotations

import pkgutil
import socket

from gnomon.ground.config.loader import current_config
from gnomon.ground.config.option import OptionError

_OPTION = "[core] hostname_callable"
_OF_AIRFLOW = {"airflow.utils.net.getfqdn": socket.getfqdn, "airflow.utils.net.get_hostname": socket.getfqdn}
"""Defaults of Airflow, which services need no package `airflow` for."""


def current_host_name() -> str:
    """Return the name of this machine by the options of this process; raises as `read_host_name` does."""
    return read_host_name(current_config().text("core", "hostname_callable"))


def read_host_name(function: str) -> str:
    """Return what the function of that dotted path returns; the system's host name for an empty path.

    Raises OptionError when there is no such function, when it raises, or when it returns no text.
    """
    path = function.strip()
    if not path:
        return socket.gethostname()
    try:
        name_function = _OF_AIRFLOW.get(path) or pkgutil.resolve_name(path)
    except (ImportError, AttributeError, ValueError) as error:
        from gnomon.model.sentences import say  # loaded with the first refusal

        raise OptionError(say("host_name_cannot_be_loaded", option=str(_OPTION), name=path, error=str(error))) from None
    try:
        name = name_function()
    except Exception as error:
        from gnomon.model.sentences import say

        raise OptionError(
            say("host_name_raised", option=str(_OPTION), name=path, text=type(error).__name__, error=str(error))
        ) from None
    if not isinstance(name, str) or not name:
        from gnomon.model.sentences import say

        raise OptionError(say("host_name_is_no_text", option=str(_OPTION), name=path, thing=repr(name)))
    return name
