"""`RouteIndex`: finds the operation of a request by the segments of its path, in place of the several hundred patterns that FastAPI would try one after another.

The routers themselves are not part of the application: at the first request that no operation takes, FastAPI would prepare each of their routes once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from fastapi.routing import APIRoute
from starlette.convertors import StringConvertor
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from gnomon.model.errors.product import InternalError


@dataclass(slots=True)
class _Node:
    """The routes whose patterns begin with the same segments."""

    by_literal: dict[str, _Node] = field(default_factory=dict)
    parameter: _Node | None = None
    by_method: dict[str, tuple[int, APIRoute, tuple[str, ...]]] = field(default_factory=dict)
    """By method, the route whose pattern ends here: its position among all routes, and the names of its parameters."""


class RouteIndex(BaseRoute):
    """A route of the application that stands for all operations that were added."""

    def __init__(self) -> None:
        self._root = _Node()
        self._count = 0
        self._patterns: list[tuple[str, APIRoute]] = []
        """With their prefixes, the routes that cannot be found by segments; they are asked last."""
        self._to_load: dict[str, Callable[[], None]] = {}
        """By the prefix of their paths: what adds operations that nobody has asked for yet."""

    def add(self, prefix: str, routes: Iterable[BaseRoute]) -> None:
        """Add the routes of a router, with the prefix before their paths. The first of two that match the same path and method is found, as in a router.

        Raises InternalError for a route that is no operation.
        """
        for route in routes:
            if not isinstance(route, APIRoute):
                raise InternalError(f"route {getattr(route, 'path', route)} is not an operation")
            self._count += 1
            segments = (prefix + route.path_format).split("/")
            is_split_by_slashes = all(
                isinstance(convertor, StringConvertor) for convertor in route.param_convertors.values()
            )
            if is_split_by_slashes and all(
                "{" not in segment or (segment.startswith("{") and segment.endswith("}")) for segment in segments
            ):
                self._add(segments, route)
            else:
                self._patterns.append((prefix, route))

    def add_when_asked(self, prefix: str, load: Callable[[], None]) -> None:
        """Have `load` add the operations below the prefix when the first request for one of them arrives: most of what a server imports are operations."""
        self._to_load[f"{prefix}/"] = load

    def load_all(self) -> None:
        """Add all operations now."""
        for prefix in list(self._to_load):
            self._load(prefix)

    def _load(self, prefix: str) -> None:
        self._to_load[prefix]()
        del self._to_load[prefix]

    def _add(self, segments: Sequence[str], route: APIRoute) -> None:
        node = self._root
        for segment in segments:
            if segment.startswith("{"):
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.by_literal.setdefault(segment, _Node())
        names = tuple(segment[1:-1] for segment in segments if segment.startswith("{"))
        for method in route.methods or ():
            node.by_method.setdefault(method, (self._count, route, names))

    def find(self, method: str, path: str) -> tuple[APIRoute, dict[str, str]] | None:
        """The route of a request, and its path parameters by their names. A route of another method if none has this one; None when there is nothing at the address."""
        for prefix in [prefix for prefix in self._to_load if path.startswith(prefix)]:
            self._load(prefix)
        nodes = self._walk(path)
        candidates = [(*node.by_method[method], values) for node, values in nodes if method in node.by_method]
        if not candidates:
            by_pattern = self._match_patterns(path)
            with_method = next((match for match in by_pattern if method in (match[0].methods or ())), None)
            if with_method is not None:
                return with_method
            candidates = [(*route, values) for node, values in nodes for route in node.by_method.values()]
            if not candidates:
                return by_pattern[0] if by_pattern else None
        _, route, names, values = min(candidates, key=lambda candidate: candidate[0])
        return route, dict(zip(names, values, strict=True))

    def _walk(self, path: str) -> list[tuple[_Node, tuple[str, ...]]]:
        """The nodes at the path, each with the values of its parameters."""
        reached: list[tuple[_Node, tuple[str, ...]]] = [(self._root, ())]
        for segment in path.split("/"):
            further = []
            for node, values in reached:
                literal = node.by_literal.get(segment)
                if literal is not None:
                    further.append((literal, values))
                if node.parameter is not None and segment:
                    further.append((node.parameter, (*values, segment)))
            if not further:
                return []
            reached = further
        return reached

    def _match_patterns(self, path: str) -> list[tuple[APIRoute, dict[str, str]]]:
        matches = []
        for prefix, route in self._patterns:
            match = route.path_regex.match(path[len(prefix) :]) if path.startswith(prefix) else None
            if match is not None:
                matches.append((route, match.groupdict()))
        return matches

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """What Starlette asks a route: whether the request is for it, and what to put into its scope."""
        if scope["type"] != "http":
            return Match.NONE, {}
        route_match = self.find(scope["method"], scope["path"])
        if route_match is None:
            return Match.NONE, {}
        route, parameters = route_match
        match = Match.FULL if scope["method"] in (route.methods or ()) else Match.PARTIAL
        return match, {"endpoint": route.endpoint, "path_params": parameters, "route": route}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that matched; with 405 if the route has other methods."""
        await scope["route"].handle(scope, receive, send)
