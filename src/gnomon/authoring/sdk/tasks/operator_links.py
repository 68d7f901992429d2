"""Links of operators: a name and the URL of a task instance in another system. The runner computes them at the end of an attempt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from gnomon.authoring.sdk.arguments.task_warnings import warn_about_task
from gnomon.model.errors.error_text import describe_error
from gnomon.model.spec import ExtraLinkSpec
from gnomon.model.unchecked_sentences import say_unchecked


class BaseOperatorLink:
    """Base class of operator links: a subclass sets `name` and overrides `get_link`, or `static_url`."""

    is_page_of_gnomon: ClassVar[bool] = False
    name: Any = ""
    """The text of the link; a property in Airflow, and a class attribute or a property of subclasses."""
    operators: ClassVar[list[type]] = []
    """For a link of a plugin: the operator classes whose tasks have it."""

    @property
    def static_url(self) -> str | None:
        """The URL that all task instances share; None: `get_link` gives one for each."""
        return None

    @property
    def xcom_key(self) -> str:
        """The key of the XCom with the URL."""
        return f"_link_{type(self).__name__}"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """Return the URL for a task instance; subclasses override this method. Raises NotImplementedError without a `static_url`."""
        url = self.static_url
        if url is None:
            raise NotImplementedError(f"{type(self).__name__} overrides neither get_link nor static_url")
        return url


@dataclass(frozen=True, slots=True)
class PluginLinks:
    """The links that plugins add to tasks."""

    of_all: tuple[Any, ...] = ()
    """`global_operator_extra_links`: of every task."""
    of_operators: tuple[Any, ...] = ()
    """`operator_extra_links`: of the tasks of each class in their `operators`."""

    def __bool__(self) -> bool:
        return bool(self.of_all or self.of_operators)


NO_PLUGIN_LINKS = PluginLinks()


def resolve_links(task: Any, plugin_links: PluginLinks = NO_PLUGIN_LINKS) -> dict[str, Any]:
    """Return name to link for an operator or a mapped task; links that are not valid are left out.

    Of two links with one name, that of a plugin for the class of the operator comes first, then that of the operator, then that of all
    tasks (Airflow's `operator_extra_link_dict` and `global_operator_extra_link_dict`). Raises what a property `operator_extra_links` raises.
    """
    if not plugin_links:
        return _by_name(list_own_links(task))
    matching = (link for link in plugin_links.of_operators if _is_for(link, task.operator_class))
    return {**_by_name(plugin_links.of_all), **_by_name(list_own_links(task)), **_by_name(matching)}


def list_own_links(task: Any) -> tuple[Any, ...]:
    """Return `operator_extra_links` of an operator or a mapped task, without those to pages of Gnomon, which the page shows itself."""
    links = task.operator_extra_links
    if isinstance(links, property):  # of a mapped task, which has the attributes of the class
        assert links.fget is not None
        links = links.fget(task)
    return tuple(link for link in links or () if not getattr(link, "is_page_of_gnomon", False))


def find_link_mistake(link: Any) -> str | None:
    """Return what is wrong with an element of a list of links, with the remedy; None for a link."""
    try:
        return _find_mistake(link)
    except Exception as error:  # author code: properties
        return f"{type(link).__name__} cannot be read ({describe_error(error)})"


def _find_mistake(link: Any) -> str | None:
    if isinstance(link, type):
        return f"{link.__name__} is a class; write {link.__name__}()"
    if not callable(getattr(link, "get_link", None)):
        return f"an object of class {type(link).__name__} has no method get_link; use an object of a subclass of BaseOperatorLink"
    name = getattr(link, "name", None)
    if not isinstance(name, str) or not name:
        return f"{type(link).__name__} has the name {name!r}; give it a text as `name`"
    key = read_xcom_key(link)
    return (
        None if isinstance(key, str) and key else f"{type(link).__name__} has the xcom_key {key!r}; it must be a text"
    )


def read_xcom_key(link: Any) -> Any:
    """Return the key of the XCom of a link; links of Airflow 2 that are no BaseOperatorLink have the usual key."""
    return getattr(link, "xcom_key", f"_link_{type(link).__name__}")


def describe_links(task: Any, plugin_links: PluginLinks = NO_PLUGIN_LINKS) -> tuple[ExtraLinkSpec, ...]:
    """Return the links of an operator or a mapped task as plain data, by name. A link that is not valid becomes a warning of the DAG."""
    if (
        not plugin_links
        and getattr(task.operator_class, "operator_extra_links", None) == ()
        and "operator_extra_links" not in task.__dict__
    ):
        return ()
    try:
        for link in list_own_links(task):
            mistake = find_link_mistake(link)
            if mistake is not None:
                warn_about_task(task, say_unchecked("link_is_left_out", fault=mistake))
        links = resolve_links(task, plugin_links)
        described = tuple(_describe(name, links[name]) for name in sorted(links))
    except Exception as error:  # author code: properties
        warn_about_task(task, say_unchecked("links_cannot_be_read", error=describe_error(error)))
        return ()
    for key, names in _group_by_key(described).items():
        if len(names) > 1:
            warn_about_task(task, say_unchecked("links_show_one_url", names=" and ".join(map(repr, names)), key=key))
    return described


def _group_by_key(links: Iterable[ExtraLinkSpec]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for link in links:
        if link.static_url is None:
            names.setdefault(link.xcom_key, []).append(link.name)
    return names


def _describe(name: str, link: Any) -> ExtraLinkSpec:
    url = getattr(link, "static_url", None)
    return ExtraLinkSpec(
        name=str(name), xcom_key=str(read_xcom_key(link)), static_url=str(url) if isinstance(url, str) and url else None
    )


def _by_name(links: Iterable[Any]) -> dict[str, Any]:
    return {link.name: link for link in links if find_link_mistake(link) is None}


def _is_for(link: Any, operator_class: type) -> bool:
    """Return whether the class is in `operators`; by name too, for a module that was imported under this name again."""
    place = (operator_class.__module__, operator_class.__qualname__)
    return any(
        operator is operator_class
        or (getattr(operator, "__module__", None), getattr(operator, "__qualname__", None)) == place
        for operator in link.operators or ()
    )
