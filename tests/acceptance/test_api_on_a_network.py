"""A standalone that other machines can reach: the API is shut, the page and health are not."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

from tests.acceptance.product import product
from tests.patience import PATIENCE_S


def _get(address: str, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address + path, timeout=PATIENCE_S) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_api_is_refused_with_the_reason() -> None:
    with product({}, {"GNOMON__API__HOST": "0.0.0.0"}) as gnomon:
        address = gnomon.said.split(" with its home")[0].removeprefix("Gnomon runs on ")
        status, body = _get(address, "/api/v2/dags")
        assert (status, "needs accounts" in json.loads(body)["detail"]) == (403, True)
        assert _get(address, "/api/v2/assets")[0] == 403
        assert [_get(address, path)[0] for path in ("/", "/health", "/api/v2/monitor/health")] == [200, 200, 200]
