"""The layers of the package and the rows inside them, as the import contracts of pyproject.toml list them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


PUBLIC_FOLDERS = {"testing"}
"""Public modules with modules below them: they only re-export, as the files beside the layers do."""


def list_layers() -> list[str]:
    """The folders of the layers, from top to bottom."""
    package = ROOT / "src" / "gnomon"
    return [name for row in _rows("layers") for name in sorted(row - PUBLIC_FOLDERS) if (package / name).is_dir()]


def list_rows(layer: str) -> list[set[str]]:
    """The packages of a layer, from top to bottom; packages of one row do not import one another. Empty: the layer is not divided."""
    return _rows(f"in_{layer}")


def count_contracts() -> int:
    """How many contracts there are, of all kinds."""
    return len(_contracts())


def _rows(contract_id: str) -> list[set[str]]:
    rows = (row for contract in _contracts() if contract["id"] == contract_id for row in contract["layers"])
    return [set(re.findall(r"\w+", row)) for row in rows if row != "(__main__)"]


@cache
def _contracts() -> list[dict[str, Any]]:
    contracts: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    return contracts
