"""Connections to other systems (address and login), and BaseHook."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from gnomon.authoring.sdk.arguments.option_defaults import has_secrets_backend
from gnomon.authoring.sdk.connections import channel
from gnomon.ground.config.environment import get_variable
from gnomon.model.errors.authoring import AirflowException, AirflowNotFoundException
from gnomon.model.task_api_requests import GetConnection

_PREFIXES = ("GNOMON_CONN_", "AIRFLOW_CONN_")
_FIELDS = ("conn_type", "description", "host", "schema", "login", "password", "port", "extra")
EXTRA_KEY = "__extra__"
PORT_MAX = 65_535


class Connection:
    """One connection. A secrets backend, then the environment (`GNOMON_CONN_ID`, `AIRFLOW_CONN_ID`: URI or JSON) takes precedence over the stored one."""

    def __init__(
        self,
        conn_id: str | None = None,
        conn_type: str | None = None,
        description: str | None = None,
        host: str | None = None,
        login: str | None = None,
        password: str | None = None,
        schema: str | None = None,
        port: int | str | None = None,
        extra: str | Mapping[str, Any] | None = None,
        uri: str | None = None,
        team_name: str | None = None,
    ) -> None:
        if uri is not None and any((conn_type, host, login, password, schema, port, extra)):
            raise AirflowException(f"Connection {conn_id!r}: give either uri= or the single fields, not both.")
        self.conn_id = conn_id
        self.conn_type = conn_type
        self.description = description
        self.host = host
        self.login = login
        self.password = password
        self.schema = schema
        self.port = _parse_port(conn_id, port)
        self.extra = (
            extra if isinstance(extra, str | None) else json.dumps(dict(extra) if isinstance(extra, Mapping) else extra)
        )
        self.team_name = team_name
        if uri is not None:
            self._read_uri(uri)
        if self.extra:
            _check_extra(conn_id, self.extra)

    # Reading and writing

    @classmethod
    def get(cls, conn_id: str) -> Connection:
        """Return the connection of that id. Raises AirflowNotFoundException when there is none."""
        secret = _ask_backend(conn_id) or _read_environment(conn_id)
        if secret is not None:
            return cls._of_text(conn_id, secret)
        return cls._of(conn_id, channel.ask(GetConnection(conn_id=conn_id)) if channel.has_channel() else None)

    get_connection_from_secrets = get

    @classmethod
    async def async_get(cls, conn_id: str) -> Connection:
        """Return the connection of that id without blocking the event loop."""
        secret = None
        if has_secrets_backend():
            import asyncio  # only coroutines use it

            secret = await asyncio.to_thread(_ask_backend, conn_id)
        secret = secret or _read_environment(conn_id)
        if secret is not None:
            return cls._of_text(conn_id, secret)
        return cls._of(
            conn_id, await channel.ask_async(GetConnection(conn_id=conn_id)) if channel.has_channel() else None
        )

    @classmethod
    def _of_text(cls, conn_id: str, secret: Any) -> Connection:
        """The connection that a secrets backend or the environment has: an object, or its text."""
        if isinstance(secret, str):
            return cls.from_text(secret, conn_id)._hide_secrets()
        if isinstance(secret, Connection):
            return secret._hide_secrets()
        raise AirflowException(
            f"Connection {conn_id!r}: the secrets backend returned a {type(secret).__name__}, which is not a Connection."
        )

    @classmethod
    def _of(cls, conn_id: str, stored: Any) -> Connection:
        if stored is None:
            raise AirflowNotFoundException(_explain_missing(conn_id))
        return cls(conn_id=conn_id, **{name: stored[name] for name in _FIELDS if name in stored})._hide_secrets()

    def _hide_secrets(self) -> Connection:
        """Hide the password and the secrets in `extra` in the logs of this process. Returns the connection."""
        from gnomon.authoring.sdk.connections.secret_masking import (
            mask_secret,  # not needed to write a DAG, and it loads logging
        )

        extra = self._load_extra()
        secrets = [self.password, self.extra if extra else None]
        if self.password:  # as the header of HTTP's basic authentication has it
            secrets.append(
                base64.b64encode(f"{self.login or ''}:{self.password}".encode(errors="surrogateescape")).decode()
            )
        mask_secret([text for text in secrets if text])
        mask_secret(extra)
        return self

    @classmethod
    def from_text(cls, text: str, conn_id: str | None = None) -> Connection:
        """Return the connection that a URI or a JSON object describes. Raises AirflowException when the text is not valid."""
        return cls.from_json(text, conn_id) if text.lstrip().startswith("{") else cls.from_uri(text, conn_id)

    @classmethod
    def from_uri(cls, uri: str, conn_id: str | None = None) -> Connection:
        """Return the connection that a URI describes. Raises AirflowException when the URI is not valid."""
        return cls(conn_id=conn_id, uri=uri)

    @classmethod
    def from_json(cls, value: str, conn_id: str | None = None) -> Connection:
        """Return the connection that a JSON object describes. Raises AirflowException when the text is not valid."""
        try:
            fields = json.loads(value)
        except ValueError as error:
            raise AirflowException(f"Connection {conn_id!r} does not read as JSON: {error}.") from None
        if not isinstance(fields, dict):
            raise AirflowException(f"Connection {conn_id!r} must be a JSON object, not a {type(fields).__name__}.")
        fields = {str(key).lower(): item for key, item in fields.items()}
        kind = fields.get("conn_type") or fields.get("type")
        attributes = {
            "conn_type": _scheme_to_type(kind) if isinstance(kind, str) else kind,
            **{name: fields.get(name) for name in _FIELDS[1:]},
        }
        attributes["login"] = attributes["login"] or fields.get("user") or fields.get("username")
        unknown = set(fields) - set(_FIELDS) - {"conn_id", "type", "user", "username", "uri"}
        if unknown:
            raise AirflowException(
                f"Connection {conn_id!r} has unknown keys: {', '.join(sorted(unknown))}. "
                f"Known are: {', '.join(_FIELDS)}."
            )
        return cls(conn_id=conn_id or fields.get("conn_id"), **attributes)

    def _read_uri(self, uri: str) -> None:
        before, *others = uri.partition("?")[0].split("://")[1:] or [""]
        if len(others) > 1 or (others and ("@" in before or ":" in before)):
            raise AirflowException(
                f"Connection {self.conn_id!r}: its URI has :// where none may be. Write it as type://login:password@host:port/schema, "
                "or as type://https://login:password@host for an address with a protocol of its own."
            )
        parts = self._split_uri(uri)
        self.conn_type = _scheme_to_type(parts.scheme)
        protocol = ""
        if parts.netloc and "://" in uri.partition("://")[2]:
            # http://https://host: the connection type, then the address with its protocol
            parts = self._split_uri(uri.partition("://")[2])
            protocol = f"{parts.scheme}://"
        self.host = protocol + unquote(_read_host(parts.netloc)) if parts.hostname else ""
        self.login = unquote(parts.username) if parts.username else parts.username
        self.password = unquote(parts.password) if parts.password else parts.password
        try:
            self.port = parts.port
        except ValueError:
            raise AirflowException(
                f"Connection {self.conn_id!r}: the port in its URI is not a number from 0 to 65535. "
                "Write it as type://login:password@host:port/schema."
            ) from None
        self.schema = unquote(parts.path[1:])
        if parts.query:
            pairs = dict(parse_qsl(parts.query, keep_blank_values=True))
            self.extra = (
                pairs[EXTRA_KEY]
                if EXTRA_KEY in pairs
                else json.dumps({name: self._read_query_value(text) for name, text in pairs.items()})
            )

    def _read_query_value(self, text: str) -> Any:
        return text

    def _split_uri(self, uri: str) -> SplitResult:
        """Return the parts of the URI. The error does not show the URI, which may contain a password."""
        try:
            return urlsplit(uri)
        except ValueError:
            raise AirflowException(
                f"Connection {self.conn_id!r}: its URI cannot be read. Write it as type://login:password@host:port/schema, "
                "with %40 for @, %2F for / and %5B for [ in login and password."
            ) from None

    def get_uri(self) -> str:
        """Return the connection as a URI that `from_uri` reads."""
        return self._build_uri(self._mask_extra())

    async def aget_uri(self) -> str:
        """As `get_uri`, for coroutines."""
        return self._build_uri(await self.aextra_dejson())

    def _build_uri(self, flat: dict[str, Any]) -> str:
        kind = f"{self.conn_type.lower().replace('_', '-')}://" if self.conn_type else "//"
        protocol, host = "", self.host or ""
        if "://" in host and host.partition("://")[0] != self.conn_type:
            protocol, _, host = host.partition("://")
            protocol += "://"
        user = quote(self.login, safe="") if self.login is not None else ""
        secret = f":{quote(self.password, safe='')}" if self.password is not None else ""
        at = "@" if user or secret or (self.port and not host) else ""
        port = f":{self.port}" if self.port else ""
        schema = f"/{quote(self.schema, safe='')}" if self.schema else ""
        uri = f"{kind}{protocol}{user}{secret}{at}{quote(host, safe='')}{port}{schema}"
        if not self.extra:
            return uri
        query = urlencode(flat) if flat and all(isinstance(item, str) for item in flat.values()) else ""
        if dict(parse_qsl(query, keep_blank_values=True)) != flat:
            query = urlencode({EXTRA_KEY: self.extra})
        return f"{uri}{'' if schema else '/'}?{query}"

    def to_dict(self, *, prune_empty: bool = False, validate: bool = True) -> dict[str, Any]:
        """Return the fields, with `extra` as a dict; `prune_empty` leaves out fields that are None, and an empty `extra`."""
        fields: dict[str, Any] = {"conn_id": self.conn_id, **{name: getattr(self, name) for name in _FIELDS}}
        fields["extra"] = self._mask_extra()
        return {key: item for key, item in fields.items() if item is not None and item != {}} if prune_empty else fields

    def as_json(self) -> str:
        """Return the connection as JSON that `from_json` reads."""
        fields = self.to_dict(prune_empty=True)
        fields.pop("conn_id", None)
        return json.dumps(fields)

    @property
    def extra_dejson(self) -> dict[str, Any]:
        """`extra` as a dict; empty when `extra` is empty or not JSON."""
        return self.get_extra_dejson()

    def get_extra_dejson(self, nested: bool = False) -> dict[str, Any]:
        """Return `extra` as a dict; with `nested`, text values that are JSON are parsed too. Its secrets are hidden in logs from now on."""
        extra = self._load_extra()
        if nested and isinstance(extra, dict):
            extra = {key: _parse_if_json(item) for key, item in extra.items()}
        if extra:
            from gnomon.authoring.sdk.connections.secret_masking import (
                mask_secret,  # not needed to write a DAG, and it loads logging
            )

            mask_secret(extra)
        return extra

    def _mask_extra(self) -> dict[str, Any]:
        """As `extra_dejson`, without a word about short secrets, which would stand in the output of commands that write connections."""
        extra = self._load_extra()
        if extra:
            from gnomon.authoring.sdk.connections.secret_masking import mask_stored_secret  # as above

            mask_stored_secret(extra)
        return extra

    def _load_extra(self) -> dict[str, Any]:
        """`extra` as a dict. (It may be another JSON value where it was set after the connection was made.)"""
        try:
            extra: dict[str, Any] = json.loads(self.extra) if self.extra else {}
        except ValueError:
            return {}
        return extra

    async def aextra_dejson(self) -> dict[str, Any]:
        """Return `extra_dejson`, for coroutines."""
        extra = self._load_extra()
        if extra:
            from gnomon.authoring.sdk.connections.secret_masking import amask_secret  # not needed to write a DAG

            await amask_secret(extra)
        return extra

    def get_extra(self) -> str | None:
        """Return `extra` as text."""
        return self.extra

    def get_password(self) -> str | None:
        """Return the password."""
        return self.password

    def set_extra(self, value: str | None) -> None:
        """Set `extra` to this text."""
        self.extra = value

    def get_hook(self, *, hook_params: dict[str, Any] | None = None) -> Any:
        """Return the hook for the type of the connection. Raises HookNotFound when no installed package has one."""
        from gnomon.authoring.sdk.connections import provider_packages  # rarely used: most code makes the hook itself

        kind = provider_packages.load_hook_class(self.conn_type, str(self.conn_id))
        return kind(**{kind.conn_name_attr: self.conn_id}, **(hook_params or {}))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Connection) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.conn_id)

    def __repr__(self) -> str:
        return f"Connection(conn_id={self.conn_id!r}, conn_type={self.conn_type!r}, host={_without_login(self.host)!r})"


def _ask_backend(conn_id: str) -> Any:
    """What the secrets backend has: a connection or its text; None when there is none, or no backend."""
    if not has_secrets_backend():
        return None
    # Most installations have no backend, and this module loads logging.
    from gnomon.authoring.sdk.connections.secrets_lookup import find_connection

    return find_connection(conn_id)


def _parse_port(conn_id: str | None, value: Any) -> int | None:
    """Return the port, whichever door it came by. Raises AirflowException for what is none: no URI of the connection could be read."""
    if value is None or value == "":
        return None
    try:
        port = int(value)
        is_whole = port == value if isinstance(value, float) else not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):
        is_whole = False
    if not is_whole:
        raise AirflowException(f"Connection {conn_id!r}: port must be a number, not {value!r}.")
    if not 0 <= port <= PORT_MAX:
        raise AirflowException(
            f"Connection {conn_id!r}: {str(value)[:20]} is no port; give a number from 0 to {PORT_MAX}."
        )
    return port


def _check_extra(conn_id: str | None, extra: str) -> None:
    """Raise AirflowException for JSON that is no object, or that has NaN or Infinity. The message does not show the text, which may contain a secret.

    A text that is no JSON at all is taken, as by Airflow; it reads as no extra.
    """
    numbers: list[str] = []
    try:
        value = json.loads(extra, parse_constant=numbers.append)
    except (ValueError, RecursionError):
        return
    if numbers:
        raise AirflowException(
            f"Connection {conn_id!r}: extra has {numbers[0]}, which is not a number of JSON; write it as text, or leave it out."
        )
    if not isinstance(value, dict):
        raise AirflowException(f"Connection {conn_id!r}: extra must be a JSON object.")


def _without_login(host: str | None) -> str | None:
    """Remove login and password from a host that was given as an address with both."""
    protocol, separator, rest = (host or "").rpartition("://")
    return f"{protocol}{separator}{rest.rpartition('@')[2]}" if "@" in rest else host


def _scheme_to_type(scheme: str) -> str:
    return {"postgresql": "postgres"}.get(scheme, scheme).replace("-", "_")


def _read_host(netloc: str) -> str:
    """Return the host with its upper case letters, which `urlsplit` changes to lower case."""
    host = netloc.rpartition("@")[2]
    if host.startswith("["):
        return host[1 : host.index("]")]
    return host.partition(":")[0]


def _parse_if_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _read_environment(conn_id: str) -> str | None:
    for prefix in _PREFIXES:
        text = get_variable(prefix + conn_id.upper())
        if text:
            return text
    return None


def _explain_missing(conn_id: str) -> str:
    name = f"{_PREFIXES[0]}{conn_id.upper()}"
    if channel.has_channel():
        return f"The conn_id {conn_id!r} isn't defined. Set the environment variable {name} to its URI."
    return (
        f"The conn_id {conn_id!r} isn't defined in the environment ({name}), and this process was started without "
        "Gnomon, so stored connections cannot be read."
    )


class _AnyConnection(type):
    """A connection of a hook is an instance too: programs compare with the class of `airflow.models`."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Connection)


class ConnectionModel(Connection, metaclass=_AnyConnection):
    """`airflow.models.Connection`, and what a user stores: values in the query of a URI are JSON where they read as JSON, else texts, as in Airflow's database.

    In tasks they are texts, as with Airflow's Task SDK.
    """

    def _read_query_value(self, text: str) -> Any:
        try:
            return json.loads(text, parse_constant=lambda _: text) if text else text
        except (ValueError, RecursionError):
            return text


class BaseHook:
    """Base class of hooks: it reads connections and has a logger."""

    conn_name_attr: ClassVar[str]
    default_conn_name: ClassVar[str]
    conn_type: ClassVar[str]
    hook_name: ClassVar[str]

    def __init__(self, logger_name: str | None = None) -> None:
        self._logger_name = logger_name

    @property
    def log(self) -> Any:
        """The logger of the class."""
        import logging  # not needed to write a DAG

        name = getattr(self, "_logger_name", None)
        if name is None:
            name = f"{type(self).__module__}.{type(self).__qualname__}"
        return logging.getLogger(f"airflow.task.hooks.{name}" if name else "airflow.task.hooks")

    @classmethod
    def get_connection(cls, conn_id: str) -> Connection:
        """Return the connection of that id. Raises AirflowNotFoundException when there is none."""
        return Connection.get(conn_id)

    @classmethod
    async def aget_connection(cls, conn_id: str) -> Connection:
        """Return the connection of that id without blocking the event loop."""
        return await Connection.async_get(conn_id)

    @classmethod
    def get_connections(cls, conn_id: str) -> list[Connection]:
        """Return the connection of that id in a list."""
        return [cls.get_connection(conn_id)]

    @classmethod
    def get_hook(cls, conn_id: str, hook_params: dict[str, Any] | None = None) -> Any:
        """Return the hook for the type of that connection. Raises as `Connection.get_hook` does."""
        return cls.get_connection(conn_id).get_hook(hook_params=hook_params)

    @classmethod
    async def aget_hook(cls, conn_id: str, hook_params: dict[str, Any] | None = None) -> Any:
        """As `get_hook`, for coroutines."""
        return (await cls.aget_connection(conn_id)).get_hook(hook_params=hook_params)

    def get_conn(self) -> Any:
        """Return an open client. Subclasses override it."""
        raise NotImplementedError(f"{type(self).__name__} has no get_conn().")

    @classmethod
    def get_connection_form_widgets(cls) -> dict[str, Any]:
        """Return further fields of the connection form."""
        return {}

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """Return the labels and placeholders of the connection form."""
        return {}
