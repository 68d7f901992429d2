"""The published secrets backends of AWS, unmodified, against moto's server: connections and Variables come from both."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.conformance.package_index import installed
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.network
PROVIDER = ("apache-airflow-providers-amazon==9.39.0", "apache-airflow-providers-common-compat==1.23.0")
NEEDS = (
    "asgiref==3.13.0",
    "boto3==1.44.5",
    "botocore==1.44.5",
    "jmespath==1.1.0",
    "python-dateutil==2.9.0.post0",
    "s3transfer==0.19.3",
    "six==1.17.0",
    "urllib3==2.8.0",
    "certifi==2026.10.18",
    "charset-normalizer==3.5.2",
    "idna==3.20",
    "requests==2.34.2",
    "tenacity==9.2.1",
    "python-slugify==9.2.0",
    "text-unidecode==1.3",
)
SERVER = (
    *NEEDS,
    "moto==5.2.5",
    "blinker==1.9.0",
    "cffi==2.1.1",
    "click==8.5.1",
    "cryptography==50.0.2",
    "flask==3.1.3",
    "flask-cors==6.0.5",
    "itsdangerous==2.2.0",
    "jinja2==3.1.6",
    "markupsafe==3.0.4",
    "pycparser==3.12",
    "pyyaml==6.0.3",
    "responses==0.26.3",
    "werkzeug==3.1.9",
    "xmltodict==1.0.4",
)
FLOW = """
from airflow.sdk import DAG, task, Variable, BaseHook

with DAG("reads", schedule=None):
    @task
    def ask():
        connection = BaseHook.get_connection("web")
        assert (connection.conn_type, connection.host, connection.password, connection.port) == ("http", "web.test", PASSWORD, 81), connection
        print("the password is", connection.password)
        assert Variable.get("greeting") == GREETING
        assert Variable.get("other", default="none") == "none"
    ask()
"""
FILL = """
import boto3
secrets, parameters = boto3.client("secretsmanager"), boto3.client("ssm")
secrets.create_secret(Name="airflow/connections/web", SecretString="http://me:from-the-secrets-manager@web.test:81")
secrets.create_secret(Name="airflow/variables/greeting", SecretString="hello from the secrets manager")
parameters.put_parameter(Name="/airflow/connections/web", Value="http://me:from-the-parameter-store@web.test:81", Type="SecureString")
parameters.put_parameter(Name="/airflow/variables/greeting", Value="hello from the parameter store", Type="String")
"""
_ADDRESS = re.compile(r"Running on (http://127\.0\.0\.1:\d+)")


@contextmanager
def moto_server() -> Iterator[dict[str, str]]:
    """A new server with secrets and parameters; yields the environment of its clients."""
    path = {"PYTHONPATH": str(installed("moto", *SERVER))}
    command = [sys.executable, "-c", "import sys; from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])"]
    with subprocess.Popen(
        command, env=os.environ | path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stderr is not None
            address = next((found[1] for line in server.stderr if (found := _ADDRESS.search(line))), None)
            assert address is not None, "moto's server did not start"
            client = {
                "AWS_ENDPOINT_URL": address,
                "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": "test-key-of-aws",
                "AWS_DEFAULT_REGION": "eu-central-1",
                "AWS_EC2_METADATA_DISABLED": "true",
            }
            subprocess.run([sys.executable, "-c", FILL], env=os.environ | path | client, check=True, timeout=PATIENCE_S)
            yield client
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def aws() -> Iterator[dict[str, str]]:
    with moto_server() as client:
        yield client


@pytest.mark.parametrize(
    ("backend", "slash", "source"),
    [
        ("secrets_manager.SecretsManagerBackend", "", "the secrets manager"),
        ("systems_manager.SystemsManagerParameterStoreBackend", "/", "the parameter store"),
    ],
)
def test_connections_and_variables_come_from_aws(
    tmp_path: Path, aws: dict[str, str], backend: str, slash: str, source: str
) -> None:
    password = f"from {source}".replace(" ", "-")
    kwargs = {"connections_prefix": f"{slash}airflow/connections", "variables_prefix": f"{slash}airflow/variables"}
    environ = (
        os.environ
        | aws
        | {
            "GNOMON_HOME": str(tmp_path / "home"),
            "PYTHONPATH": f"{installed('provider-of-amazon', *PROVIDER)}:{installed('needs-of-amazon', *NEEDS)}",
            "GNOMON__SECRETS__BACKEND": f"airflow.providers.amazon.aws.secrets.{backend}",
            "GNOMON__SECRETS__BACKEND_KWARGS": json.dumps(kwargs),
        }
    )
    flow = tmp_path / "reads.py"
    flow.write_text(f"PASSWORD, GREETING = {password!r}, 'hello from {source}'\n{FLOW}")
    ended = subprocess.run(
        [sys.executable, "-m", "gnomon", "dags", "test", str(flow)],
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, said
    assert "the password is ***" in said
    assert password not in said and "test-key-of-aws" not in said
