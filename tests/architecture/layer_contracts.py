"""The layers of the package and the rows inside them, as the import contracts of pyproject.toml list them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def list_layers() -> list[str]:
    """The folders of the layers, from top to bottom."""
    return [name for row in _rows("layers") for name in sorted(row) if (ROOT / "src" / "gnomon" / name).is_dir()]


def list_rows(layer: str) -> list[set[str]]:
    """The packages of a layer, from top to bottom; packages of one row do not import one another. Empty: the layer is not divided."""
    return _rows(f"in_{layer}")


def _rows(contract_id: str) -> list[set[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return [
        set(re.findall(r"\w+", row))
        for contract in contracts
        if contract["id"] == contract_id
        for row in contract["layers"]
        if row != "(__main__)"
    ]
