"""The OpenAPI document, made once in each process of the tests: it takes a second or two of processor time.

That the server answers with the same document is what `test_documented_app.py` claims.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from gnomon.api.app import create_documented_app


def read_document() -> dict[str, Any]:
    """A copy for the caller."""
    document: dict[str, Any] = json.loads(_make_text())
    return document


@cache
def _make_text() -> str:
    return json.dumps(create_documented_app().openapi())
