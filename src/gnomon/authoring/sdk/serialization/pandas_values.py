"""Data frames of pandas as Parquet, in Airflow's form, and the scalars of pandas."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pandas as pd

from gnomon.authoring.sdk.serialization.version_check import check_version
from gnomon.model.errors.error_text import error_text
from gnomon.model.serde.stored_objects import NoStoredForm, StoredObject

_VERSION = 1


def describe(value: object) -> StoredObject | None:
    """What is stored of a frame or a scalar; None for other objects of pandas. Raises NoStoredForm."""
    kind = type(value)
    if kind is pd.DataFrame:
        return StoredObject(f"{kind.__module__}.{kind.__qualname__}", _VERSION, _write_frame(value))
    if isinstance(value, pd.Series | pd.Index):
        raise NoStoredForm("Return value.to_frame() instead, or value.tolist().")
    if value is pd.NaT or value is pd.NA:
        return StoredObject("pandas.NaT" if value is pd.NaT else "pandas.NA", _VERSION, None)
    if isinstance(value, pd.Timestamp):
        zone = getattr(value.tzinfo, "key", None) or getattr(value.tzinfo, "zone", None)
        return StoredObject("pandas.Timestamp", _VERSION, {"text": value.isoformat(), "zone": zone, "unit": value.unit})
    if isinstance(value, pd.Timedelta):
        return StoredObject("pandas.Timedelta", _VERSION, {"text": value.isoformat(), "unit": value.unit})
    return None


def _write_frame(frame: Any) -> str:
    """The frame as Parquet, in hexadecimal digits."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise NoStoredForm(
            "Frames are stored as Parquet: install pyarrow where the task runs, or return value.to_dict() instead."
        ) from error
    buffer = io.BytesIO()
    try:
        parquet.write_table(pyarrow.Table.from_pandas(frame), buffer, compression="snappy")
    except (pyarrow.ArrowException, ValueError, TypeError) as error:
        raise NoStoredForm(
            f"pyarrow cannot write it as Parquet ({error_text(error)}). Convert the column, or return value.to_dict() instead."
        ) from error
    return buffer.getvalue().hex().upper()


def find_reader(classname: str) -> Callable[[StoredObject], Any] | None:
    """The function that makes a value of this class; None for a class that is not stored so."""
    return _read if classname in _READERS else None


def _read(stored: StoredObject) -> Any:
    check_version(stored, _VERSION)
    return _READERS[stored.classname](stored.data)


def _read_frame(data: Any) -> Any:
    from pyarrow import parquet

    return parquet.read_table(io.BytesIO(bytes.fromhex(data))).to_pandas()


def _read_timestamp(data: Any) -> Any:
    moment = pd.Timestamp(data["text"]).as_unit(data["unit"])
    return moment if data["zone"] is None else moment.tz_convert(data["zone"])


_READERS: dict[str, Callable[[Any], Any]] = {
    "pandas.DataFrame": _read_frame,
    "pandas.NA": lambda _: pd.NA,
    "pandas.NaT": lambda _: pd.NaT,
    "pandas.Timedelta": lambda data: pd.Timedelta(data["text"]).as_unit(data["unit"]),
    "pandas.Timestamp": _read_timestamp,
    "pandas.core.frame.DataFrame": _read_frame,
}
"""`pandas.core.frame.DataFrame` is the name of frames before pandas 3."""
