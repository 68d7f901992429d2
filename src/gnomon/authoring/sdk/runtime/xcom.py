"""XCom back ends: the class of `[core] xcom_backend` changes how values are stored. It acts in the processes of tasks."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NoReturn

from gnomon.authoring.sdk.nodes.authoring_state import get_current_context
from gnomon.authoring.sdk.serialization.value_codec import dumps, loads
from gnomon.ground.config import Config, current_config
from gnomon.model.attempts import BACKEND_VALUE, RETURN_VALUE
from gnomon.model.errors.authoring import AirflowConfigException, AirflowException, DeserializationError

DEFAULT_PATHS = (
    "",
    "airflow.sdk.execution_time.xcom.BaseXCom",
    "airflow.sdk.bases.xcom.BaseXCom",
    "airflow.models.xcom.BaseXCom",
)
OBJECT_STORAGE_PATH = "ObjectStoragePath"
"""The name of the type in typed JSON. Its module is imported when a value needs it."""


class SerializedXCom(str):
    """A value as typed JSON, from `BaseXCom.serialize_value`."""

    __slots__ = ()


class BaseXCom:
    """The default back end, and the base class of others: they override `serialize_value` and `deserialize_value`.

    Its other methods are those of a task: `get_one`, `get_all`, `get_value` read XComs, `set` pushes one of the running task.
    """

    XCOM_RETURN_KEY = RETURN_VALUE

    @staticmethod
    def serialize_value(
        value: Any,
        *,
        key: str | None = None,
        task_id: str | None = None,
        dag_id: str | None = None,
        run_id: str | None = None,
        map_index: int | None = None,
    ) -> Any:
        """Return what the database stores. Raises NotSerializable. `dag_id`, `run_id` and `map_index` are for back ends."""
        del dag_id, run_id, map_index
        return SerializedXCom(dumps(value, what=f"XCom {key!r} of task {task_id!r}"))

    @staticmethod
    def deserialize_value(result: Any) -> Any:
        """Return the value. `result.value`: what `serialize_value` returned; `result` also has the key and the names."""
        stored = result.value if hasattr(result, "value") else result
        if isinstance(stored, SerializedXCom):
            return load_plain_xcom(stored)
        return json.loads(stored) if isinstance(stored, bytes) else stored

    @classmethod
    def purge(cls, xcom: Any, *args: Any) -> None:
        """Delete what the value refers to. Gnomon never calls it, because the scheduler deletes XComs and runs no author code."""

    @classmethod
    def set(
        cls,
        key: str,
        value: Any,
        *,
        dag_id: str | None = None,
        task_id: str | None = None,
        run_id: str | None = None,
        map_index: int = -1,
    ) -> None:
        """Push an XCom of the running task. Raises AirflowException for another task: its own code pushes its XComs."""
        ti = get_current_context()["ti"]
        place = (dag_id or ti.dag_id, task_id or ti.task_id, run_id or ti.run_id, map_index)
        if place != (ti.dag_id, ti.task_id, ti.run_id, ti.map_index):
            raise AirflowException(
                f"XCom.set() for task {place[1]!r} of run {place[2]!r}: a task can only push XComs of its own"
            )
        ti.xcom_push(key=key, value=value)

    @classmethod
    def get_one(
        cls,
        *,
        key: str,
        dag_id: str,
        task_id: str,
        run_id: str,
        map_index: int | None = None,
        include_prior_dates: bool = False,
        **_: Any,
    ) -> Any:
        """Return the value of a task instance; None when there is none."""
        return get_current_context()["ti"].xcom_pull(
            task_ids=task_id,
            dag_id=dag_id,
            run_id=run_id,
            key=key,
            map_indexes=map_index,
            include_prior_dates=include_prior_dates,
        )

    @classmethod
    def get_all(cls, *, key: str, dag_id: str, task_id: str, run_id: str, include_prior_dates: bool = False) -> Any:
        """Return the values of all instances of a task, as a list."""
        values = get_current_context()["ti"].xcom_pull(
            task_ids=[task_id], dag_id=dag_id, run_id=run_id, key=key, include_prior_dates=include_prior_dates
        )
        return list(values)

    @classmethod
    def get_value(cls, *, ti_key: Any, key: str) -> Any:
        """Return the value of the task instance with this key; None when there is none."""
        return cls.get_one(
            key=key, dag_id=ti_key.dag_id, task_id=ti_key.task_id, run_id=ti_key.run_id, map_index=ti_key.map_index
        )

    @classmethod
    def delete(cls, *_: Any, **__: Any) -> NoReturn:
        """Raise AirflowException: XComs are deleted when their task is cleared."""
        raise AirflowException(
            "XCom.delete() is not possible in a task: XComs are deleted when their task is cleared, or starts again"
        )


def encode_xcom(value: Any, *, what: str, key: str) -> str:
    """Return a value of the running task as typed JSON, as the back end serializes it.

    `what` names the XCom in errors. Raises NotSerializable, and AirflowConfigException for a back end that cannot be used.
    """
    backend = find_backend()
    if backend is None:
        return dumps(value, what=what)
    stored = backend.serialize_value(value, **_select(backend.serialize_value, _make_coordinates(key)))
    return str(stored) if isinstance(stored, SerializedXCom) else dumps({BACKEND_VALUE: stored}, what=what)


def decode_xcom(text: str, *, key: str, task_id: str, dag_id: str, run_id: str, map_index: int | None) -> Any:
    """Return the value of a stored XCom, as the back end deserializes it.

    `map_index` is None in a sequence of the values of a mapped task, as in Airflow. Raises DeserializationError, which names the XCom, and
    AirflowConfigException for a back end that cannot be used.
    """
    try:
        return _decode(text, key, task_id, dag_id, run_id, map_index)
    except DeserializationError as error:
        raise type(error)(f"XCom {key!r} of task {task_id!r}: {error}") from error.__cause__


def _decode(text: str, key: str, task_id: str, dag_id: str, run_id: str, map_index: int | None) -> Any:
    backend = find_backend()
    if backend is None and BACKEND_VALUE not in text:
        return load_plain_xcom(text)
    stored = load_plain_xcom(text) if BACKEND_VALUE in text else None
    value = (
        stored[BACKEND_VALUE] if isinstance(stored, dict) and stored.keys() == {BACKEND_VALUE} else SerializedXCom(text)
    )
    if backend is None:
        return load_plain_xcom(text) if isinstance(value, SerializedXCom) else value
    return backend.deserialize_value(
        SimpleNamespace(value=value, key=key, task_id=task_id, dag_id=dag_id, run_id=run_id, map_index=map_index)
    )


_forced_defaults: list[None] = []
_option: tuple[Config | None, str] = (None, "")
"""The options of this process, and the option `[core] xcom_backend` in them: every value that is pulled or pushed needs it."""


@contextmanager
def default_backend() -> Iterator[None]:
    """Use the default back end inside this block, whatever the option says: no author code runs."""
    _forced_defaults.append(None)
    try:
        yield
    finally:
        _forced_defaults.pop()


def load_plain_xcom(text: str) -> Any:
    """Return a value that the default back end has stored. Raises DeserializationError."""
    if OBJECT_STORAGE_PATH in text:
        try:
            import_module("gnomon.authoring.sdk.storage.object_storage_path")
        except ImportError as error:
            if f'"{OBJECT_STORAGE_PATH}"' in text:
                raise AirflowException(f"An XCom holds an ObjectStoragePath: {error}") from error
    return loads(text)


def find_backend() -> Any:
    """Return the class of `[core] xcom_backend`; None for the default one. Raises AirflowConfigException."""
    global _option
    config = current_config()
    known_config, path = _option
    if known_config is not config:
        path = config.get("core", "xcom_backend", fallback="")
        _option = config, path
    return None if _forced_defaults or path in DEFAULT_PATHS else _load_backend(path)


@functools.cache
def _load_backend(path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        backend = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise AirflowConfigException(
            f"[core] xcom_backend is {path!r}, which cannot be imported: {error}. Give the path package.module.Class of a subclass of "
            "airflow.sdk.bases.xcom.BaseXCom, in the plugins folder or an installed package."
        ) from error
    if not isinstance(backend, type) or not issubclass(backend, BaseXCom):
        raise AirflowConfigException(
            f"[core] xcom_backend is {path!r}, which is not a subclass of airflow.sdk.bases.xcom.BaseXCom."
        )
    return None if backend is BaseXCom else backend


def _make_coordinates(key: str) -> dict[str, Any]:
    """The names of the XCom for `serialize_value`."""
    ti = get_current_context()["ti"]
    return {"key": key, "task_id": ti.task_id, "dag_id": ti.dag_id, "run_id": ti.run_id, "map_index": ti.map_index}


def _select(function: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that the function takes: back ends for older releases of Airflow take fewer."""
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return arguments
    names = {parameter.name for parameter in parameters}
    return {name: value for name, value in arguments.items() if name in names}
