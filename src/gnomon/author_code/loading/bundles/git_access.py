"""How the program git reaches a repository: its address, and the environment with login or key, from a connection of type git."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from gnomon.author_code.loading.bundles.base_bundle import DagBundleError
from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.model.sentences import say

_TOKEN, _LOGIN, _PASSPHRASE = "GNOMON_GIT_TOKEN", "GNOMON_GIT_LOGIN", "GNOMON_GIT_PASSPHRASE"
_HELPER = f'!f() {{ test "$1" = get && echo "username=${_LOGIN}" && echo "password=${_TOKEN}"; }}; f'
_FIELDS = frozenset(
    {
        "key_file",
        "private_key",
        "private_key_passphrase",
        "strict_host_key_checking",
        "known_hosts_file",
        "ssh_config_file",
        "host_proxy_cmd",
        "ssh_port",
    }
)


@dataclass(frozen=True, slots=True)
class GitAccess:
    """The address of a repository, and what its server wants to know. Secrets reach git in its environment, not in arguments or files that stay."""

    url: str
    login: str | None = None
    token: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    """The fields of the connection's extra, as Airflow's GitHook reads them."""
    protocols: tuple[str, ...] = ()
    """The protocols of git that an address may have; empty: what git permits. Set for addresses that authors choose."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no message may show."""
        candidates = (self.token, self.extra.get("private_key"), self.extra.get("private_key_passphrase"))
        return tuple(secret for secret in candidates if isinstance(secret, str) and secret)

    @contextmanager
    def environment(self) -> Iterator[dict[str, str]]:
        """The variables for git, valid inside the context: a key of the connection is in a file meanwhile."""
        variables = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        if self.protocols:
            variables["GIT_ALLOW_PROTOCOL"] = ":".join(self.protocols)
        if self.token is not None:
            variables |= {_LOGIN: self.login or "user", _TOKEN: self.token}
            variables |= {
                "GIT_CONFIG_COUNT": "2",
                "GIT_CONFIG_KEY_0": "credential.helper",
                "GIT_CONFIG_VALUE_0": "",
                "GIT_CONFIG_KEY_1": f"credential.{_find_server(self.url)}.helper",
                "GIT_CONFIG_VALUE_1": _HELPER,
            }
        with TemporaryDirectory(prefix="gnomon-git-") as folder:
            key = self.extra.get("key_file")
            if self.extra.get("private_key"):
                key = _write_file(folder, "key", str(self.extra["private_key"]).rstrip("\n") + "\n", stat.S_IRUSR)
            if self.extra.get("private_key_passphrase"):
                script = _write_file(
                    folder, "askpass", f'#!/bin/sh\necho "${_PASSPHRASE}"\n', stat.S_IRUSR | stat.S_IXUSR
                )
                variables |= {
                    "SSH_ASKPASS": script,
                    "SSH_ASKPASS_REQUIRE": "force",
                    _PASSPHRASE: str(self.extra["private_key_passphrase"]),
                }
            variables["GIT_SSH_COMMAND"] = self._ssh_command(key)
            yield variables

    def _ssh_command(self, key: object) -> str:
        extra = self.extra
        checking = str(extra.get("strict_host_key_checking") or "no")
        words = ["ssh", "-o", f"StrictHostKeyChecking={checking}", "-o", "ConnectTimeout=30"]
        if key:
            words += ["-i", str(key), "-o", "IdentitiesOnly=yes"]
        if not extra.get("private_key_passphrase"):
            words += ["-o", "BatchMode=yes"]
        if extra.get("known_hosts_file"):
            words += ["-o", f"UserKnownHostsFile={extra['known_hosts_file']}"]
        elif checking == "no":
            words += ["-o", f"UserKnownHostsFile={os.devnull}"]
        if extra.get("ssh_config_file"):
            words += ["-F", str(extra["ssh_config_file"])]
        if extra.get("host_proxy_cmd"):
            words += ["-o", f"ProxyCommand={extra['host_proxy_cmd']}"]
        if extra.get("ssh_port"):
            words += ["-p", str(extra["ssh_port"])]
        return shlex.join(words)


def find_git_access(bundle: str, repo_url: str | None, conn_id: str | None) -> GitAccess:
    """The access that `repo_url` and the connection give. Raises DagBundleError, or AirflowNotFoundException for an unknown connection."""
    if conn_id is None:
        if not repo_url:
            raise DagBundleError(say("bundle_has_no_repository", name=bundle))
        return GitAccess(repo_url)
    connection = Connection.get(conn_id)
    url = repo_url or connection.host
    if not url:
        raise DagBundleError(say("connection_of_bundle_has_no_host", conn_id=conn_id, name=bundle))
    extra = connection.extra_dejson
    if extra.get("private_key") and extra.get("key_file"):
        raise DagBundleError(say("connection_of_bundle_has_two_keys", conn_id=conn_id, name=bundle))
    known_fields = {name: value for name, value in extra.items() if name in _FIELDS}
    return GitAccess(url, connection.login, connection.password or None, known_fields)


def _find_server(url: str) -> str:
    """The beginning of the address to which alone git sends the password: a server may send git elsewhere."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.scheme in ("http", "https") else url


def _write_file(folder: str, name: str, text: str, mode: int) -> str:
    path = Path(folder) / name
    path.touch(mode=stat.S_IRUSR | stat.S_IWUSR)
    path.write_text(text)
    path.chmod(mode)
    return str(path)
