"""Addresses and networks: which only programs of the same machine reach, and options that list networks."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from gnomon.ground.config.option import OptionError

if TYPE_CHECKING:
    from gnomon.ground.config.config import Config

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


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


def read_networks(cfg: Config, section: str, name: str) -> tuple[Network, ...]:
    """The networks of an option, a list with commas: `10.0.0.0/8, ::1`. Raises OptionError for what is no network."""
    networks = []
    for part in filter(None, (entry.strip() for entry in cfg.text(section, name).split(","))):
        try:
            networks.append(ipaddress.ip_network(part))
        except ValueError as error:
            raise OptionError(
                f"[{section}] {name} ({cfg.source(section, name)}) has {part!r}, which is no network: {error}; write addresses or networks with "
                "commas between them, for example 10.0.0.0/8, 192.0.2.7, ::1"
            ) from None
    return tuple(networks)


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address of a text such as `192.0.2.7`, `192.0.2.7:80`, `::1` or `[::1]:80`; None for anything else. An IPv4 address in IPv6 is IPv4."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def is_within(text: str, networks: tuple[Network, ...]) -> bool:
    """Whether a text is an address in one of the networks."""
    address = parse_address(text)
    return address is not None and any(address in network for network in networks)
