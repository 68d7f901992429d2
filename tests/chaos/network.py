"""Hosts on one machine: each has a network namespace and a name of its own, and reaches nothing but declared addresses of the bridge.

services host (the namespace of the test): bridge `<prefix>b` with FRONT (broker), API (api-servers behind one address) and BACK (PostgreSQL)
host 1, 2, ...: one veth pair each; the ports of the bridge are isolated, so that hosts do not reach each other; a route for each address that was declared
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_NEEDED = ("ip", "nsenter", "unshare")
_NAME = re.compile(r"gn(\d+)")


class Network:
    """The bridge and its hosts. `front`, `api` and `back`: the addresses of the bridge."""

    def __init__(self) -> None:
        self._prefix = f"gn{os.getpid()}"
        block = f"10.{200 + os.getpid() // 256 % 50}.{os.getpid() % 256}"
        self.front, self.back, self.api, self._block = f"{block}.1", f"{block}.2", f"{block}.3", block
        self._hosts: dict[str, str] = {}

    def create(self) -> None:
        """Create the bridge. Raises CalledProcessError where that is not allowed."""
        _remove(lambda pid: pid == os.getpid() or not Path(f"/proc/{pid}").exists())
        _ip("link", "add", f"{self._prefix}b", "type", "bridge")
        _ip("link", "set", f"{self._prefix}b", "up")
        for address in (self.front, self.back, self.api):
            _ip("addr", "add", f"{address}/24", "dev", f"{self._prefix}b")

    def add_host(self, name: str, *reaches: str) -> str:
        """Create a host which reaches these addresses of the bridge and nothing else; returns its own address."""
        number = len(self._hosts)
        namespace, port, address = f"{self._prefix}-{name}", f"{self._prefix}h{number}", f"{self._block}.{10 + number}"
        _ip("netns", "add", namespace)
        _ip("link", "add", port, "type", "veth", "peer", "name", "up0", "netns", namespace)
        _ip("link", "set", port, "master", f"{self._prefix}b", "up")
        _ip("link", "set", port, "type", "bridge_slave", "isolated", "on")
        for words in (
            ("link", "set", "lo", "up"),
            ("addr", "add", f"{address}/32", "dev", "up0"),
            ("link", "set", "up0", "up"),
            *(("route", "add", f"{other}/32", "dev", "up0") for other in reaches),
        ):
            _ip("-n", namespace, *words)
        self._hosts[name] = port
        return address

    def enter(self, host: str) -> list[str]:
        """The beginning of a command which runs on the host; the process keeps its id through it."""
        return [
            "nsenter",
            f"--net=/run/netns/{self._prefix}-{host}",
            "unshare",
            "--uts",
            "sh",
            "-c",
            f'hostname {host} && exec "$@"',
            "sh",
        ]

    def pids(self, host: str) -> list[int]:
        """The processes of the host that are not defunct, whatever their titles."""
        namespace = Path(f"/run/netns/{self._prefix}-{host}").stat().st_ino
        return sorted(int(name) for name in os.listdir("/proc") if name.isdigit() and _is_in(int(name), namespace))

    def cut(self, host: str) -> None:
        """From now on no packet leaves or reaches the host, and nobody is told."""
        _ip("link", "set", self._hosts[host], "down")

    def mend(self, host: str) -> None:
        """The host is connected again."""
        _ip("link", "set", self._hosts[host], "up")

    def cut_link(self, host: str, address: str) -> None:
        """From now on no packet of the host reaches this address of the bridge, and nobody is told."""
        _ip(
            "-n",
            f"{self._prefix}-{host}",
            "neigh",
            "replace",
            address,
            "lladdr",
            "02:00:00:00:00:01",
            "dev",
            "up0",
            "nud",
            "permanent",
        )

    def mend_link(self, host: str, address: str) -> None:
        """The host reaches the address again."""
        _ip("-n", f"{self._prefix}-{host}", "neigh", "del", address, "dev", "up0")

    def remove(self) -> None:
        """Delete the hosts and the bridge. The ports first: with its namespace the kernel removes one some time later, and the next network may have its name."""
        for port in self._hosts.values():
            with suppress(subprocess.CalledProcessError):
                _ip("link", "del", port)
        _remove(lambda pid: pid == os.getpid())


@contextmanager
def network() -> Iterator[Network]:
    """A network of this test, removed afterwards. Skips the test, or fails it in CI, where it cannot be created."""
    missing = [name for name in _NEEDED if shutil.which(name) is None]
    reason = f"{', '.join(missing)}: not installed (packages iproute2 and util-linux)" if missing else ""
    made = Network()
    if not reason:
        try:
            made.create()
            made.add_host("probe", made.front)
            subprocess.run([*made.enter("probe"), "true"], check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            made.remove()
            reason = f"{' '.join(map(str, error.cmd))}: {str(error.stderr).strip()}"
    if reason:
        reason = f"no network namespaces here: {reason}; run as root with CAP_NET_ADMIN and CAP_SYS_ADMIN (a container: --privileged)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    try:
        yield made
    finally:
        made.remove()


def _remove(is_ours: Callable[[int], bool]) -> None:
    """Delete the namespaces and bridges of the tests that these processes run."""
    names = [line.split()[0] for line in _ip("netns", "list").splitlines() if line.strip()]
    names += [line.split(":")[1].strip() for line in _ip("-o", "link", "show", "type", "bridge").splitlines()]
    for name in names:
        found = _NAME.match(name)
        if found is not None and is_ours(int(found[1])):
            _ip(*(("netns", "del", name) if "-" in name else ("link", "del", name)))


def _is_in(pid: int, namespace: int) -> bool:
    try:
        return (
            os.stat(f"/proc/{pid}/ns/net").st_ino == namespace
            and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        )
    except OSError:
        return False


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout
