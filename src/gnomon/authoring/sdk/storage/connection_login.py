"""The login of a connection as options for a file system of fsspec, for stores that are reached without a provider package."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.model.errors.authoring import AirflowException

Options = dict[str, Any]


def has_login_options(protocol: str) -> bool:
    """Whether `build_login_options` knows the protocol."""
    return protocol in _BUILDERS


def build_login_options(protocol: str, connection: Connection) -> Options:
    """The arguments for `fsspec.filesystem(protocol, ...)` that carry the login of the connection, in the forms of Airflow's provider packages.

    A field that is empty gives no argument, so that the library of the store looks for a login on the machine. Raises AirflowException for a
    field that is understood by the provider package alone, and KeyError for a protocol that `has_login_options` denies.
    """
    extra = connection.extra_dejson
    options = _BUILDERS[protocol](connection, extra if isinstance(extra, dict) else {})
    return {name: value for name, value in options.items() if value not in (None, "", {})}


def _build_s3(connection: Connection, extra: Mapping[str, Any]) -> Options:
    for name in ("role_arn", "assume_role_method"):
        if extra.get(name):
            raise AirflowException(
                f"connection {connection.conn_id!r} has {name!r} in its extra, and roles are not assumed here: give the keys of the connection, "
                "or a login on the machine that has the role already, with an empty connection"
            )
    service = extra.get("service_config")
    of_s3 = service.get("s3") if isinstance(service, dict) else None
    endpoint = of_s3.get("endpoint_url") if isinstance(of_s3, dict) else None
    verify = extra.get("verify")
    client = {"region_name": extra.get("region_name"), "verify": verify if isinstance(verify, bool | str) else None}
    return {
        "key": connection.login or extra.get("aws_access_key_id"),
        "secret": connection.password or extra.get("aws_secret_access_key"),
        "token": extra.get("aws_session_token"),
        "profile": extra.get("profile_name") or extra.get("profile"),
        "endpoint_url": endpoint
        or extra.get("endpoint_url")
        or (connection.host if "://" in (connection.host or "") else None),
        "client_kwargs": {name: value for name, value in client.items() if value is not None},
        "config_kwargs": extra.get("config_kwargs"),
    }


def _build_gs(connection: Connection, extra: Mapping[str, Any]) -> Options:
    def find(name: str) -> Any:
        return extra.get(name) or extra.get(f"extra__google_cloud_platform__{name}")

    key = find("keyfile_dict")
    if isinstance(key, str):
        try:
            key = json.loads(key)
        except ValueError:
            raise AirflowException(
                f"connection {connection.conn_id!r}: keyfile_dict in its extra is not the JSON text of a key file"
            ) from None
    return {"token": key or find("key_path"), "project": find("project"), "endpoint_url": find("endpoint_url")}


def _build_abfs(connection: Connection, extra: Mapping[str, Any]) -> Options:
    host = (connection.host or "").partition("://")[2] or connection.host
    names = ("connection_string", "sas_token", "tenant_id", "client_id", "client_secret")
    if extra.get("tenant_id"):  # then login and password are those of an application
        own = {
            "client_id": connection.login,
            "client_secret": connection.password,
            "account_name": (host or "").partition(".")[0],
        }
    else:
        own = {
            "account_name": connection.login or (host or "").partition(".")[0],
            "account_key": connection.password,
            "account_host": host if "." in (host or "") else None,
        }
    return {**own, **{name: extra[name] for name in (*names, "account_name", "account_key") if extra.get(name)}}


def _build_sftp(connection: Connection, extra: Mapping[str, Any]) -> Options:
    return {
        "host": connection.host,
        "port": connection.port,
        "username": connection.login,
        "password": connection.password,
        "key_filename": extra.get("key_file"),
        "passphrase": extra.get("private_key_passphrase"),
    }


_BUILDERS: dict[str, Callable[[Connection, Mapping[str, Any]], Options]] = {
    "s3": _build_s3,
    "s3a": _build_s3,
    "gs": _build_gs,
    "gcs": _build_gs,
    "abfs": _build_abfs,
    "abfss": _build_abfs,
    "az": _build_abfs,
    "sftp": _build_sftp,
    "ssh": _build_sftp,
}
