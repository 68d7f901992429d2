"""Writes the report of a simulation: one HTML file that needs no other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.entry.cli.deployment.home import Home
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

_PAGE = Path(__file__).with_name("report_page.html")


def write_report(path: str, data: Mapping[str, Any]) -> None:
    """Raises UserError when the file cannot be written."""
    try:
        Path(path).write_text(_PAGE.read_text(encoding="utf-8").replace("@DATA@", _encode(data), 1), encoding="utf-8")
    except OSError as error:
        raise UserError(say("report_is_not_written", file=path, error=error.strerror or str(error))) from None


def find_zone_name(home: Home) -> str:
    """The zone in which the page shows times: [core] default_timezone."""
    zone = find_zone(home.cfg.text("core", "default_timezone"))
    return zone.key if isinstance(zone, ZoneInfo) else "UTC"


def _encode(data: Mapping[str, Any]) -> str:
    """JSON inside an element of HTML: nothing in it ends the element or begins a comment."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
