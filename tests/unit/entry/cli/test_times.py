"""Dates as a person types them."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from gnomon.entry.cli.parameter_types import MomentType, resolve_instant
from gnomon.ground.config import load_config
from gnomon.model.instants import iso

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("text", "zone", "instant"),
    [
        ("2026-03-01", "utc", "2026-03-01T00:00:00.000000+00:00"),
        ("2026-03-01T06:00:00+01:00", "America/New_York", "2026-03-01T05:00:00.000000+00:00"),
        ("2026-03-01T06:00:00.000001Z", "utc", "2026-03-01T06:00:00.000001+00:00"),
        ("2026-07-01T06:00", "Europe/Zurich", "2026-07-01T04:00:00.000000+00:00"),
    ],
)
def test_a_date_without_a_zone_is_in_the_default_timezone(text: str, zone: str, instant: str, tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__CORE__DEFAULT_TIMEZONE": zone}, tmp_path)
    assert iso(resolve_instant(MomentType().convert(text, None, None), cfg)) == instant


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", ""])
def test_what_is_no_date_is_wrong_usage_with_an_example(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write it like 2026-03-01"):
        MomentType().convert(text, None, None)
