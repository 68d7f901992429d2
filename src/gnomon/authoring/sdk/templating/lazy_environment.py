"""The Jinja environment of one rendering, made when the first text with template marks is rendered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import jinja2

    from gnomon.authoring.sdk.nodes.node_types import DagNode


class TemplateOwner(Protocol):
    """An object with template fields: `sdk.templating.templater.Templater`."""

    @property
    def template_fields(self) -> Collection[str]: ...
    @property
    def template_ext(self) -> Sequence[str]: ...
    def get_dag(self) -> DagNode | None: ...
    def get_template_env(self, dag: Any = None) -> jinja2.Environment: ...
    def prepare_template(self) -> None: ...
    def render_template(
        self, content: Any, context: Mapping[str, Any], jinja_env: Any = None, seen_oids: set[int] | None = None
    ) -> Any: ...


class LazyEnvironment:
    """Called, it returns the Jinja environment of `owner`; the first call makes the environment."""

    def __init__(self, owner: TemplateOwner, context: Mapping[str, Any]) -> None:
        self._owner = owner
        self._context = context
        self._environment: jinja2.Environment | None = None

    def __call__(self) -> jinja2.Environment:
        if self._environment is None:
            self._environment = self._owner.get_template_env(self._owner.get_dag() or self._context.get("dag"))
        return self._environment
