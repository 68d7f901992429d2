from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.ground.config import OptionError, load_config
from gnomon.storage.remote_logs import remote_log_settings
from gnomon.storage.remote_logs.remote_log_settings import RemoteLogSettings, read_remote_log_settings

pytestmark = pytest.mark.pure


def _read(home: Path, folder: str, **environ: str) -> RemoteLogSettings | None:
    return read_remote_log_settings(
        load_config(
            {"AIRFLOW__LOGGING__REMOTE_LOGGING": "True", "AIRFLOW__LOGGING__REMOTE_BASE_LOG_FOLDER": folder, **environ},
            home,
        )
    )


@pytest.fixture
def all_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_log_settings, "find_spec", lambda name: object())


@pytest.mark.usefixtures("all_packages")
@pytest.mark.parametrize(
    ("folder", "protocol", "root"),
    [
        ("s3://bucket/a/b/", "s3", "bucket/a/b"),
        ("s3://bucket", "s3", "bucket"),
        ("gs://bucket/logs", "gs", "bucket/logs"),
        ("abfs://container/logs", "abfs", "container/logs"),
        ("wasb://logs/gnomon", "abfs", "airflow-logs/logs/gnomon"),
        ("sftp://host/logs", "sftp", "/logs"),
        ("file:///mnt/logs/", "file", "/mnt/logs"),
        ("/mnt/logs", "file", "/mnt/logs"),
    ],
)
def test_the_folder_may_be_on_these_stores(tmp_path: Path, folder: str, protocol: str, root: str) -> None:
    found = _read(tmp_path, folder)
    assert found is not None
    assert (found.protocol, found.root) == (protocol, root)


@pytest.mark.usefixtures("all_packages")
def test_the_container_of_airflows_form_for_azure_is_an_option(tmp_path: Path) -> None:
    found = _read(tmp_path, "wasb://logs", AIRFLOW__AZURE_REMOTE_LOGGING__REMOTE_WASB_LOG_CONTAINER="mine")
    assert found is not None
    assert found.root == "mine/logs"


@pytest.mark.usefixtures("all_packages")
def test_user_and_port_of_sftp_are_in_the_address(tmp_path: Path) -> None:
    found = _read(tmp_path, "sftp://ada:secret@host:2222/logs")
    assert found is not None
    assert (found.host, found.user, found.port, found.address) == ("host", "ada", 2222, "sftp://host:2222/logs")


def test_the_names_of_airflow_1_mean_the_same(tmp_path: Path) -> None:
    environ = {
        "AIRFLOW__CORE__REMOTE_LOGGING": "True",
        "AIRFLOW__CORE__REMOTE_BASE_LOG_FOLDER": "/mnt/logs",
        "AIRFLOW__CORE__REMOTE_LOG_CONN_ID": "c",
    }
    found = read_remote_log_settings(load_config(environ, tmp_path))
    assert found is not None
    assert (found.root, found.conn_id, found.deletes_local_logs) == ("/mnt/logs", "c", False)


def test_without_remote_logging_the_folder_is_not_even_read(tmp_path: Path) -> None:
    assert (
        read_remote_log_settings(load_config({"AIRFLOW__LOGGING__REMOTE_BASE_LOG_FOLDER": "cloudwatch://x"}, tmp_path))
        is None
    )


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (
            "cloudwatch://arn:aws:logs",
            r"remote_base_log_folder \(.*AIRFLOW__LOGGING__.*\) has the scheme 'cloudwatch', .* write one of s3://BUCKET/PATH",
        ),
        (
            "s3://key:secret@bucket/logs",
            r"has a login in it, which belongs into a connection: .*\[logging\] remote_log_conn_id",
        ),
        ("", r"remote_logging .* is on and \[logging\] remote_base_log_folder .* is empty"),
        ("s3:///logs", "names no bucket, container or host"),
        ("file://relative/logs", "names no absolute path"),
        ("logs", "names no absolute path"),
    ],
)
def test_an_address_that_cannot_be_used_is_an_error_with_the_remedy(tmp_path: Path, folder: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as refused:
        _read(tmp_path, folder)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("folder", "extra"),
    [("s3://b/p", "s3"), ("gs://b/p", "gs"), ("abfs://c/p", "abfs"), ("wasb://p", "abfs"), ("sftp://h/p", "sftp")],
)
def test_a_package_that_is_missing_is_named_with_its_extra_and_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, extra: str
) -> None:
    monkeypatch.setattr(remote_log_settings, "find_spec", lambda name: None)
    with pytest.raises(
        OptionError,
        match=rf"\[logging\] remote_base_log_folder .* not installed: run `pip install 'gnomon\[{extra}\]'`",
    ):
        _read(tmp_path, folder)
