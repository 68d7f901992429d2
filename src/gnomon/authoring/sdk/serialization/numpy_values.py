"""Scalars and arrays of numpy. Airflow stores most scalars, in the same form, and no arrays."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gnomon.authoring.sdk.serialization.version_check import check_version
from gnomon.model.serde.stored_objects import NoStoredForm, StoredObject

_VERSION = 1
_NUMBERS = {
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "longlong",
    "ulonglong",
    "float16",
    "float32",
    "float64",
    "longdouble",
    "complex64",
    "complex128",
    "clongdouble",
}


def describe(value: object) -> StoredObject | None:
    """What is stored of a scalar or an array; None for texts and bytes of numpy, which are those of Python. Raises NoStoredForm."""
    if isinstance(value, np.ndarray):
        return StoredObject(
            "numpy.ndarray",
            _VERSION,
            {"dtype": str(value.dtype), "shape": list(value.shape), "npy": _write_array(value)},
        )
    if not isinstance(value, np.generic) or isinstance(value, np.character):
        return None
    name = type(value).__name__
    return StoredObject(f"numpy.{name}", _VERSION, _write_scalar(value))


def _write_scalar(value: Any) -> object:
    if isinstance(value, np.timedelta64):
        return [int(value.astype("i8")), value.dtype.name]
    if isinstance(value, np.datetime64):
        return [str(value), value.dtype.name]
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.longdouble | np.complexfloating):
        return str(value)
    if isinstance(value, np.floating):
        return float(value)
    return {"dtype": str(value.dtype), "npy": _write_array(np.asarray(value))}


def _write_array(value: Any) -> str:
    """The array in numpy's file format, without pickled objects."""
    if type(value) is not np.ndarray:
        raise NoStoredForm("Return numpy.asarray(value) instead; for a masked array, its data and its mask.")
    if value.dtype.hasobject:
        raise NoStoredForm("Its elements are objects of Python: return value.tolist() instead.")
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a type of another package: found by the comparison
        np.save(file, value, allow_pickle=False)
    if _read_array(data := file.getvalue()).dtype != value.dtype:
        raise NoStoredForm(f"numpy writes no arrays of the type {value.dtype}: return value.tolist() instead.")
    return base64.b64encode(data).decode("ascii")


def _read_array(data: bytes) -> Any:
    return np.load(io.BytesIO(data), allow_pickle=False)


def find_reader(classname: str) -> Callable[[StoredObject], Any] | None:
    """The function that makes a value of this class; None for a class that is not stored so."""
    name = classname.removeprefix("numpy.")
    return _read if name in _NUMBERS or name in _READERS else None


def _read(stored: StoredObject) -> Any:
    check_version(stored, _VERSION)
    name = stored.classname.removeprefix("numpy.")
    return _READERS[name](stored.data) if name in _READERS else getattr(np, name)(stored.data)


_READERS: dict[str, Callable[[Any], Any]] = {
    "bool": np.bool_,
    "bool_": np.bool_,
    "datetime64": lambda data: np.datetime64(data[0]).astype(np.dtype(data[1])),
    "float128": np.longdouble,
    "complex256": np.clongdouble,
    "ndarray": lambda data: _read_array(base64.b64decode(data["npy"])),
    "record": lambda data: _read_array(base64.b64decode(data["npy"]))[()],
    "timedelta64": lambda data: np.array(data[0], "i8").view(np.dtype(data[1]))[()],
    "void": lambda data: _read_array(base64.b64decode(data["npy"]))[()],
}
