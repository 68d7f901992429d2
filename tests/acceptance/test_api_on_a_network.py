"""A standalone that other machines can reach: the API needs a login from the first start, health does not."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request

from tests.acceptance.product import product
from tests.patience import PATIENCE_S


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def _get(address: str, path: str, token: str = "") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.build_opener(_NoRedirect).open(
            urllib.request.Request(address + path, headers=headers), timeout=PATIENCE_S
        ) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_api_needs_a_login_from_the_first_start() -> None:
    with product({}, {"GNOMON__API__HOST": "0.0.0.0"}) as gnomon:
        address = gnomon.said.split(" with its home")[0].removeprefix("Gnomon runs on ")
        assert gnomon.process.stdout is not None
        password = next(
            line for line in gnomon.process.stdout if line.startswith("Log in as admin with the password ")
        ).split()[-1]
        assert [_get(address, path)[0] for path in ("/health", "/api/v2/monitor/health", "/api/v2/version")] == [
            200,
            200,
            200,
        ]
        assert [_get(address, path)[0] for path in ("/", "/api/v2/dags", "/api/v2/assets")] == [303, 401, 401]
        body = json.dumps({"username": "admin", "password": password}).encode()
        asked = urllib.request.Request(f"{address}/auth/token", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:
            token = json.load(answer)["access_token"]
        assert _get(address, "/api/v2/dags", token)[0] == 200
        gnomon.restart()
        address = gnomon.said.split(" with its home")[0].removeprefix("Gnomon runs on ")
        asked = urllib.request.Request(f"{address}/auth/token", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:
            assert answer.status == 201, "the second start leaves the password alone"


def test_an_open_api_is_refused_where_other_machines_reach_it() -> None:
    with product({}, {}) as gnomon:
        done = subprocess.run(
            [
                "env",
                "GNOMON__API__HOST=0.0.0.0",
                "GNOMON__API__AUTH=none",
                sys.executable,
                "-m",
                "gnomon",
                "api-server",
                "--port",
                "0",
            ],
            env=gnomon.env,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert done.returncode == 1
    assert "[api] auth (GNOMON__API__AUTH) is none, and other machines reach 0.0.0.0" in done.stderr
    assert "Traceback" not in done.stderr
