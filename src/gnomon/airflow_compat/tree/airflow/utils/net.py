"""`airflow.utils.net`."""

import socket as _socket

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["getfqdn", "get_hostname"]


def getfqdn(name=""):
    """The full name of the host."""
    return _socket.getfqdn(name)


def get_hostname():
    """The full name of this host."""
    return _socket.getfqdn()


__getattr__ = make_getattr(__name__)
