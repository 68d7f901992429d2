"""`airflow.utils.net`."""

import socket as _socket

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.ground.config.host_name import current_host_name as _current_host_name

__all__ = ["get_host_ip_address", "get_hostname", "getfqdn"]


def getfqdn(name=""):
    """The full name of the host."""
    return _socket.getfqdn(name)


def get_hostname():
    """The name of this host, as `[core] hostname_callable` gives it."""
    return _current_host_name()


def get_host_ip_address():
    """The address to which the full name of this host resolves."""
    return _socket.gethostbyname(_socket.getfqdn())


__getattr__ = make_getattr(__name__)
