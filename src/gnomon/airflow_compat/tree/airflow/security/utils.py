"""`airflow.security.utils`."""

import re as _re
import socket as _socket

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.ground.config.host_name import current_host_name as _current_host_name

__all__ = ["get_components", "get_fqdn", "principal_from_username", "replace_hostname_pattern"]
_EVERY_ADDRESS = "0.0.0.0"


def get_components(principal):
    """The parts of a Kerberos principal `name/host@REALM`: name, host and realm; None without a principal."""
    return _re.split("[/@]", str(principal)) if principal else None


def replace_hostname_pattern(components, host=None):
    """The principal of these parts, with `host` in lower case in place of theirs; without one, or for 0.0.0.0, the name of this host."""
    name = _current_host_name() if not host or host == _EVERY_ADDRESS else host
    return f"{components[0]}/{name.lower()}@{components[2]}"


def get_fqdn(hostname_or_ip=None):
    """The full name of a host; of this host without an argument, and the argument where no name is found."""
    if not hostname_or_ip:
        return _current_host_name()
    try:
        name = _socket.gethostbyaddr(hostname_or_ip)[0]
    except OSError:
        return hostname_or_ip
    return _current_host_name() if name == "localhost" else name


def principal_from_username(username, realm):
    """The user name with its realm, unless it has one."""
    return f"{username}@{realm}" if realm and "@" not in username else username


__getattr__ = make_getattr(__name__)
