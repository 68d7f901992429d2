"""Data frames of polars as Parquet, which polars writes itself. Airflow stores none."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import polars as pl

from gnomon.authoring.sdk.serialization.version_check import check_version
from gnomon.model.errors.error_text import error_text
from gnomon.model.serde.stored_objects import NoStoredForm, StoredObject

_VERSION = 1
_FRAME = "polars.DataFrame"


def describe(value: object) -> StoredObject | None:
    """What is stored of a frame; None for other objects of polars. Raises NoStoredForm."""
    if isinstance(value, pl.LazyFrame):
        raise NoStoredForm("Return value.collect() instead.")
    if isinstance(value, pl.Series):
        raise NoStoredForm("Return value.to_frame() instead, or value.to_list().")
    if type(value) is not pl.DataFrame:
        return None
    file = io.BytesIO()
    try:
        value.write_parquet(file)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise NoStoredForm(
            f"polars cannot write it as Parquet ({error_text(error)}). Convert the column, or return value.to_dicts() instead."
        ) from error
    return StoredObject(
        _FRAME, _VERSION, {"shape": list(value.shape), "parquet": base64.b64encode(file.getvalue()).decode("ascii")}
    )


def find_reader(classname: str) -> Callable[[StoredObject], Any] | None:
    """The function that makes a frame; None for other classes."""
    return _read if classname == _FRAME else None


def _read(stored: StoredObject) -> Any:
    check_version(stored, _VERSION)
    data: Any = stored.data
    return pl.read_parquet(io.BytesIO(base64.b64decode(data["parquet"])))
