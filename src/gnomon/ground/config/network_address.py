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


def read_networks(cfg: Config, section: str, name: str) -> tuple[Network, ...]:
    """The networks of an option, a list with commas: `10.0.0.0/8, ::1`. Raises OptionError for what is no network."""
    networks = []
    for part in filter(None, (entry.strip() for entry in cfg.text(section, name).split(","))):
        try:
            networks.append(ipaddress.ip_network(part))
        except ValueError as error:
            from gnomon.model.sentences import say  # loaded with the first refusal

            raise OptionError(
                say(
                    "text_is_no_network",
                    place=f"[{section}] {name} ({cfg.source(section, name)})",
                    text=part,
                    error=str(error),
                )
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
