"""Which addresses only programs of the same machine reach."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a numeric address."""
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def describe_open_address(source: str, host: str) -> str:
    """The error of `[api] auth = none` on an address that other machines reach. `source`: where the option was set."""
    return (
        f"[api] auth ({source}) is none, and other machines reach {host}: everybody could change everything. "
        "Set [api] host to 127.0.0.1, or [api] auth to accounts"
    )
