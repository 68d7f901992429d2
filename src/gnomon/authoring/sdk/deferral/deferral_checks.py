"""Checks of a deferral, made when a DAG file is parsed and again when a task defers: the trigger and the method to call next."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, Timer
from gnomon.authoring.sdk.serialization.value_codec import dumps
from gnomon.model.attempts import XCOM_MAX_BYTES, utf8_bytes
from gnomon.model.errors.authoring import DeferralRefused, NotSerializable
from gnomon.model.errors.error_text import error_text
from gnomon.model.errors.product import find_close_matches
from gnomon.model.ids import DAG_FILE_MODULE

LoadClass = Callable[[str], type]
"""`loading.class_loader.load_class`: returns the class of a dotted path, or raises with the reason."""


def read_timer(trigger: BaseTrigger) -> Timer | None:
    """Return the time for which a trigger waits, if it waits for a time only; a subclass may do more in `run` and gives None."""
    make_timer = vars(type(trigger)).get("_exact_timer")
    timer: Timer | None = None if make_timer is None else make_timer(trigger)
    return timer


def is_timer(cls: type) -> bool:
    """Return whether the triggers of the class wait for a time only."""
    return "_exact_timer" in vars(cls)


def check_next_method(task: Any, method: object, kwargs: Mapping[str, Any], trigger: str) -> None:
    """Raise DeferralRefused unless the task has the method, and the method takes the context, an event and `kwargs`."""
    if method is None:
        return
    cls = task.operator_class
    kind = cls.__name__
    wants = (
        f"Task {task.task_id!r}{format_location(task._location)} defers to {trigger} with the next method {method}()"
    )
    # The operator of a mapped task is not made yet: the method is looked up on an object whose __init__ was not called.
    holder = task if isinstance(task, cls) else cls.__new__(cls)
    function = getattr(holder, method, None) if isinstance(method, str) else None
    if not callable(function):
        own = [name for name, value in vars(cls).items() if callable(value) and not name.startswith("_")]
        near = find_close_matches(str(method), own, cutoff=0.75)
        if near:
            raise DeferralRefused(f"{wants}, which {kind} does not have; did you mean {near[0]}()?")
        raise DeferralRefused(
            f"{wants}, which {kind} does not have; write `def {method}(self, context, event=None)` in the class, or name "
            "another method."
        )
    try:
        inspect.signature(function).bind({}, **{**kwargs, "event": None})
    except TypeError as error:
        takes = inspect.signature(function)
        lacking = "event" not in takes.parameters and not _accepts_any_keyword(takes)
        why = "does not take `event`" if lacking else f"does not take what it would get: {error}"
        names = ", ".join(["self", "context", *(name for name in kwargs if name != "event"), "event=None"])
        raise DeferralRefused(f"{wants}, which {why}; write `def {method}({names})`.") from None


def _accepts_any_keyword(signature: inspect.Signature) -> bool:
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in signature.parameters.values())


def load_trigger_class(path: str, load_class: LoadClass, of: str) -> type[BaseTrigger]:
    """Load the class of a trigger as a triggerer does. Raises DeferralRefused when that fails or it is not a trigger."""
    try:
        cls = load_class(path)
    except Exception as error:
        raise DeferralRefused(
            f"{of}: its trigger {path} cannot be imported, and a triggerer could not either: {error}"
        ) from error
    if not (isinstance(cls, type) and issubclass(cls, BaseTrigger)):
        raise DeferralRefused(f"{of}: {path} is not a trigger; derive it from BaseTrigger.")
    return cls


def check_importable(cls: type, file: str, of: str) -> None:
    """Raise DeferralRefused for a class that a triggerer cannot import: inside a function, in a DAG file or beside one, or in a DAG bundle."""
    shown = f"{of}: its trigger {cls.__name__}"
    if "<locals>" in cls.__qualname__:
        raise DeferralRefused(
            f"{shown} is defined inside a function, and other processes cannot import it; move the class to the top of a module in the "
            "plugins folder, or of a package."
        )
    place = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    bundle = _find_bundle(place)
    if bundle is not None:
        raise DeferralRefused(
            f"{shown} is defined in {place}, in DAG bundle {bundle!r}. A triggerer runs the triggers of all runs in one process, where a module "
            "has one version, so it reads no DAG bundles. Put the class into a module of the plugins "
            f"folder{_describe_plugins_folder()}, or of an installed package, and import it from there."
        )
    if cls.__module__.startswith((DAG_FILE_MODULE, "__main__")) or _is_among_dag_files(cls, place, file):
        raise DeferralRefused(
            f"{shown} is defined in {place or cls.__module__}, among the DAG files. A triggerer imports a trigger by its "
            "path and reads no DAG files. Put the class into a module of the plugins "
            f"folder{_describe_plugins_folder()}, or of an installed package, and import it from there."
        )


def check_trigger_kwargs(cls: type, kwargs: Mapping[str, Any], path: str, of: str) -> None:
    """Raise DeferralRefused unless the class can be called with exactly these keyword arguments."""
    try:
        signature = inspect.signature(cls)
    except (TypeError, ValueError):
        return  # a class without a signature, such as one in C: only the call can tell
    try:
        signature.bind(**kwargs)
    except TypeError as error:
        takes = ", ".join(
            str(parameter.replace(annotation=parameter.empty)) for parameter in signature.parameters.values()
        )
        given_names = ", ".join(f"{name}=" for name in kwargs) or "no arguments"
        raise DeferralRefused(f"{of}: {path}({takes}) cannot be made with {given_names}: {error}.") from None


def encode_kwargs(kwargs: Mapping[str, Any], what: str, of: str) -> str:
    """Return the keyword arguments as typed JSON text. Raises DeferralRefused for a value without a JSON form or above the size limit."""
    if not isinstance(kwargs, Mapping) or not all(isinstance(name, str) for name in kwargs):
        raise DeferralRefused(f"{of}: {what} must be a dict with text as keys.")
    try:
        text = dumps(dict(kwargs), what=f"{of}: {what}")
    except NotSerializable as error:
        raise DeferralRefused(error_text(error)) from None
    size = utf8_bytes(text)
    if size > XCOM_MAX_BYTES:
        raise DeferralRefused(
            f"{of}: {what} take {size} bytes, the limit is {XCOM_MAX_BYTES} bytes; pass a reference, such as a path, instead."
        )
    return text


def _find_bundle(place: str) -> str | None:
    """Return the name of the DAG bundle whose folder, or copy of a version, contains the file; the DAG folder is none."""
    from gnomon.ground.config import current_config
    from gnomon.ground.config.dag_bundles import (  # start-up cost: few tasks are deferred
        bundle_folder,
        read_dag_bundles,
    )
    from gnomon.ground.config.option import OptionError

    options = current_config()
    if not place or _is_below(place, str(options.plugins_folder)):
        return None
    try:
        bundles = read_dag_bundles(options)
    except OptionError:
        return None  # the dag-processor says so
    for bundle in bundles:
        folder = bundle.local_folder if bundle.is_local else str(bundle_folder(options, bundle.name))
        if folder is not None and _is_below(place, folder) and "site-packages" not in place.split(os.sep):
            return bundle.name
    return None


def _is_among_dag_files(cls: type, place: str, file: str) -> bool:
    """Return whether the module is below the DAGs folder or beside `file`, and not in the plugins folder or a package."""
    from gnomon.ground.config import current_config  # configuration is read when the first trigger is checked

    if not place:
        return False
    options, root = current_config(), _find_path_entry(cls.__module__, place)
    if _is_below(place, str(options.plugins_folder)) or os.path.basename(root) == "site-packages":
        return False
    return _is_below(place, str(options.dags_folder)) or root == os.path.dirname(os.path.abspath(file))


def _find_path_entry(module: str, place: str) -> str:
    """Return the entry of `sys.path` from which the module was imported."""
    path = os.path.abspath(place)
    for _ in range(module.count(".") + (2 if os.path.basename(path) == "__init__.py" else 1)):
        path = os.path.dirname(path)
    return path


def _is_below(place: str, folder: str) -> bool:
    return os.path.abspath(place).startswith(os.path.join(os.path.abspath(folder), ""))


def _describe_plugins_folder() -> str:
    from gnomon.ground.config import current_config  # configuration is read when the first trigger is checked

    return f" ({current_config().plugins_folder})"
