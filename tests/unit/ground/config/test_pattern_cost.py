from __future__ import annotations

import re

import pytest

from gnomon.ground.config import load_config
from gnomon.ground.config.pattern_cost import is_linear


@pytest.mark.parametrize(
    "pattern",
    [
        "^",
        "^$",
        "^abc$",
        "^[a-z]+$",
        "^[A-Za-z0-9_.~:+-]+$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^\w+\.csv$",
        "^s3://.*",
        r"^[\w.-]+$",
        "^a?b?c{1,3}$",
        "^[^/]+$",
        r"^v\d+\.\d\.\d$",
        r"^a\$",
    ],
)
def test_a_flat_pattern_from_the_beginning_is_linear(pattern: str) -> None:
    re.compile(pattern)
    assert is_linear(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "^([a-z]+)+$",
        "^(a|a)*$",
        "a+b",
        "^.*.*$",
        "^a*a*a*$",
        r"^(?=.*x).+$",
        r"^(\w+\s?)*$",
        "^a{0,200}a{0,200}$",
        "^a{2,}b{2,}$",
        r"^(.)\1*$",
        "x*x*x*y",
        "^a|b*c*$",
        "^a++b+$",
        "^[[:alpha:]]+$",
        "^a?" + "a?" * 30 + "$",
        "^a*a{9999}b$",
        "^a*" + "a" * 2_000 + "b$",
        "^a*a{0,999}b$",
        "^" + "a{9999}" * 200,
        "^[a-z",
        "^a{1,2",
        "(?i)^a+$",
        r"^\pL+$",
    ],
)
def test_what_may_take_long_is_not(pattern: str) -> None:
    assert not is_linear(pattern)


def test_the_default_pattern_of_run_ids_is_linear(tmp_path: object) -> None:
    assert is_linear(load_config({}, tmp_path).text("scheduler", "allowed_run_id_pattern"))  # type: ignore[arg-type]
