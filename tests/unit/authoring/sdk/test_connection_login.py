from __future__ import annotations

import json
from typing import Any

import pytest

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.storage.connection_login import build_login_options, has_login_options
from gnomon.model.errors.authoring import AirflowException

KEY = {"type": "service_account", "project_id": "p"}


@pytest.mark.parametrize(
    ("protocol", "connection", "options"),
    [
        ("s3", Connection("c", "aws"), {}),
        (
            "s3",
            Connection(
                "c",
                "aws",
                login="k",
                password="s",
                extra={"region_name": "eu-west-1", "endpoint_url": "http://s3", "aws_session_token": "t"},
            ),
            {
                "key": "k",
                "secret": "s",
                "token": "t",
                "endpoint_url": "http://s3",
                "client_kwargs": {"region_name": "eu-west-1"},
            },
        ),
        (
            "s3",
            Connection(
                "c",
                "aws",
                extra={
                    "aws_access_key_id": "k",
                    "aws_secret_access_key": "s",
                    "service_config": {"s3": {"endpoint_url": "http://s3"}},
                    "verify": False,
                },
            ),
            {"key": "k", "secret": "s", "endpoint_url": "http://s3", "client_kwargs": {"verify": False}},
        ),
        (
            "gs",
            Connection("c", "google_cloud_platform", extra={"keyfile_dict": json.dumps(KEY), "project": "p"}),
            {"token": KEY, "project": "p"},
        ),
        (
            "gs",
            Connection("c", "google_cloud_platform", extra={"extra__google_cloud_platform__key_path": "/k.json"}),
            {"token": "/k.json"},
        ),
        (
            "abfs",
            Connection("c", "wasb", login="account", password="key"),
            {"account_name": "account", "account_key": "key"},
        ),
        ("abfs", Connection("c", "wasb", extra={"connection_string": "x"}), {"connection_string": "x"}),
        (
            "abfs",
            Connection(
                "c", "wasb", host="account.blob.core.windows.net", login="id", password="s", extra={"tenant_id": "t"}
            ),
            {"client_id": "id", "client_secret": "s", "tenant_id": "t", "account_name": "account"},
        ),
        (
            "sftp",
            Connection("c", "sftp", host="h", port=22, login="u", extra={"key_file": "/k"}),
            {"host": "h", "port": 22, "username": "u", "key_filename": "/k"},
        ),
    ],
)
def test_the_login_is_what_the_file_system_of_the_store_takes(
    protocol: str, connection: Connection, options: dict[str, Any]
) -> None:
    assert has_login_options(protocol)
    assert build_login_options(protocol, connection) == options


def test_what_only_a_provider_package_understands_is_refused() -> None:
    with pytest.raises(AirflowException, match="connection 'c' has 'role_arn' in its extra"):
        build_login_options("s3", Connection("c", "aws", extra={"role_arn": "arn:aws:iam::1:role/x"}))


def test_a_key_file_that_is_not_json_is_refused_without_its_text() -> None:
    with pytest.raises(AirflowException, match="keyfile_dict") as refused:
        build_login_options("gs", Connection("c", "google_cloud_platform", extra={"keyfile_dict": "{secret"}))
    assert "{secret" not in str(refused.value)
