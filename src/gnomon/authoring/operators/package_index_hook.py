"""The hook of a Python package index: its address, with the login of the connection."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

from gnomon.authoring.sdk.connections.connection import BaseHook

_TIMEOUT_S = 10.0


class PackageIndexHook(BaseHook):
    """A Python package index. The connection has its address as host, and may have a login and a password."""

    conn_name_attr = "pi_conn_id"
    default_conn_name = "package_index_default"
    conn_type = "package_index"
    hook_name = "Package Index (Python)"

    def __init__(self, pi_conn_id: str = default_conn_name, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.pi_conn_id = pi_conn_id
        self.conn = None

    @staticmethod
    def get_ui_field_behaviour() -> dict[str, Any]:
        """Return which fields a form for the connection shows, and under which labels."""
        return {
            "hidden_fields": ["schema", "port", "extra"],
            "relabeling": {"host": "Package Index URL"},
            "placeholders": {
                "host": "https://packages.example.com/simple",
                "login": "User name",
                "password": "Password",
            },
        }

    def get_conn(self) -> str:
        """Return the address with the login."""
        return self.get_connection_url()

    def get_connection_url(self) -> str:
        """Return the address with the login. Raises ValueError when the connection has no host."""
        conn = self.get_connection(self.pi_conn_id)
        if not conn.host:
            raise ValueError(f"Connection {self.pi_conn_id!r} has no host. Please provide an index URL there.")
        return _add_login(conn.host, conn.login, conn.password)

    def test_connection(self) -> tuple[bool, str]:
        """Return whether the index answers, and a message without the password."""
        url = self.get_connection_url()
        host = self.get_connection(self.pi_conn_id).host
        try:
            with urlopen(url, timeout=_TIMEOUT_S):  # the address is the operator's own
                return True, f"Connection to {host} tested successfully!"
        except (OSError, ValueError) as error:
            return False, f"Connection test to {host} failed. Error: {error}"


def _add_login(url: str, user: str | None, password: str | None) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    if user:
        login = quote(user, safe="") + (f":{quote(password, safe='')}" if password else "")
        host = f"{login}@{host}"
    return parts._replace(netloc=host).geturl()
