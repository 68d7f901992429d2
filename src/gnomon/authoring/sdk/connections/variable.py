"""Variables: settings of an installation that DAG files and tasks read."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.authoring.sdk.arguments.notset import NOTSET, is_given
from gnomon.authoring.sdk.connections import channel
from gnomon.ground.config.environment import get_variable
from gnomon.model.ids import quote_argument
from gnomon.model.task_api_requests import DeleteVariable, GetVariable, ListVariables, SetVariable

_PREFIXES = ("GNOMON_VAR_", "AIRFLOW_VAR_")


class Variable:
    """A Variable. A secrets backend, then the environment (`GNOMON_VAR_KEY`, `AIRFLOW_VAR_KEY`) takes precedence over the stored value."""

    def __init__(self, key: str, value: str | None = None, description: str | None = None) -> None:
        self.key = key
        self.value = value
        self.val = value
        self.description = description

    @classmethod
    def get(
        cls, key: str, default: Any = NOTSET, deserialize_json: bool = False, *, default_var: Any = NOTSET, **_: Any
    ) -> Any:
        """Return the value (parsed as JSON with `deserialize_json`), or the default.

        Raises KeyError when there is neither, and ValueError for a value that is not JSON.
        """
        text = _ask_backend(key)
        if text is None:
            text = _read_environment(key)
        if text is None:
            text = _read_stored(key)
        if text is not None:
            return _hide_secret(key, _parse_json(key, text) if deserialize_json else text)
        for fallback in (default, default_var):
            if is_given(fallback):
                return fallback
        raise KeyError(_explain_missing(key))

    @classmethod
    def set(cls, key: str, value: Any, description: str | None = None, serialize_json: bool = False, **_: Any) -> None:
        """Store the value, as text or (with `serialize_json`) as JSON."""
        import json  # only JSON values need it

        text = json.dumps(value, indent=2) if serialize_json else str(value)
        channel.ask(SetVariable(key=key, value=text, description=description))

    @classmethod
    def delete(cls, key: str, **_: Any) -> int:
        """Delete the stored value; return 1 when there was one, else 0."""
        return int(bool(channel.ask(DeleteVariable(key=key))))

    @classmethod
    def keys(cls, prefix: str | None = None) -> list[str]:
        """Return the stored keys with that prefix, sorted."""
        answer: Any = channel.ask(ListVariables(prefix=prefix or ""))
        return list(answer)

    @classmethod
    def setdefault(cls, key: str, default: Any, description: str | None = None, deserialize_json: bool = False) -> Any:
        """Return the value; without a value, store the default and return it. Raises ValueError for the default None."""
        value = cls.get(key, default=None, deserialize_json=deserialize_json)
        if value is not None:
            return value
        if default is None:
            raise ValueError(f"Variable {key!r} cannot be set to None; give setdefault() a value.")
        cls.set(key, default, description=description, serialize_json=deserialize_json)
        return default

    @classmethod
    def update(cls, key: str, value: Any, serialize_json: bool = False, **_: Any) -> None:
        """Replace the stored value. Raises KeyError when there is none."""
        if _read_stored(key) is None:
            raise KeyError(_explain_missing(key))
        cls.set(key, value, serialize_json=serialize_json)


def _ask_backend(key: str) -> str | None:
    if not option_defaults.has_secrets_backend():
        return None
    # Most installations have no backend, and this module loads logging.
    from gnomon.authoring.sdk.connections.secrets_lookup import find_variable

    return find_variable(key)


def _read_environment(key: str) -> str | None:
    for prefix in _PREFIXES:
        text = get_variable(prefix + key.upper())
        if text is not None:
            return text
    return None


def _hide_secret(key: str, value: Any) -> Any:
    """Hide the value in the logs of this process if its key names a secret, and secrets in it. Returns the value."""
    from gnomon.authoring.sdk.connections.secret_masking import mask_secret  # only code that reads a Variable needs it

    if isinstance(value, str | dict | list):
        mask_secret(value, key)
    return value


def _read_stored(key: str) -> str | None:
    if not channel.has_channel():
        return None
    answer = channel.ask(GetVariable(key=key))
    return None if answer is None else str(answer)


def _parse_json(key: str, text: str) -> Any:
    import json  # only JSON values need it

    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"Variable {key!r} is not JSON ({error}). Store JSON, or read it as text.") from error


def _explain_missing(key: str) -> str:
    if channel.has_channel():
        return f"Variable {key} does not exist. Set it with `gnomon variables set {quote_argument(key)} VALUE`, or give a default."
    return (
        f"Variable {key} is not in the environment ({_PREFIXES[0]}{key.upper()}), and this process was started without "
        "Gnomon, so stored Variables cannot be read. Set the environment variable, or give a default."
    )
