"""`RouteIndex`: finds the operation of a request by the segments of its path, in place of the several hundred patterns that FastAPI would try one after another.

A request that the index does not know (another method, a path parameter that takes several segments, an unknown address) goes to the routers of the application, as without the index.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fastapi.routing import APIRoute
from starlette.convertors import StringConvertor
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send


@dataclass(slots=True)
class _Node:
    """The routes whose patterns begin with the same segments."""

    by_literal: dict[str, _Node] = field(default_factory=dict)
    parameter: _Node | None = None
    by_method: dict[str, tuple[int, APIRoute, tuple[str, ...]]] = field(default_factory=dict)
    """By method, the route whose pattern ends here: its position among all routes, and the names of its parameters."""


class RouteIndex(BaseRoute):
    """A route of the application that stands for all operations that were added. It comes before their routers."""

    def __init__(self) -> None:
        self._root = _Node()
        self._count = 0

    def add(self, prefix: str, routes: Iterable[BaseRoute]) -> None:
        """Add the routes of a router that the application includes with the prefix. The first of two that match the same path and method is found, as in a router."""
        for route in routes:
            self._count += 1
            if isinstance(route, APIRoute) and all(isinstance(one, StringConvertor) for one in route.param_convertors.values()):
                self._add(prefix + route.path_format, route)

    def _add(self, pattern: str, route: APIRoute) -> None:
        segments = pattern.split("/")
        if any("{" in one and not (one.startswith("{") and one.endswith("}")) for one in segments):
            return  # a parameter with text beside it in its segment
        node = self._root
        for segment in segments:
            if segment.startswith("{"):
                node.parameter = node.parameter or _Node()
                node = node.parameter
            else:
                node = node.by_literal.setdefault(segment, _Node())
        names = tuple(one[1:-1] for one in segments if one.startswith("{"))
        for method in route.methods or ():
            node.by_method.setdefault(method, (self._count, route, names))

    def find(self, method: str, path: str) -> tuple[APIRoute, dict[str, str]] | None:
        """The route of a request, and its path parameters by their names; None when the index does not know it."""
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
                return None
            reached = further
        found = [(*node.by_method[method], values) for node, values in reached if method in node.by_method]
        if not found:
            return None
        _, route, names, values = min(found, key=lambda one: one[0])
        return route, dict(zip(names, values, strict=True))

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """What Starlette asks a route: whether the request is for it, and what to put into its scope."""
        if scope["type"] != "http":
            return Match.NONE, {}
        found = self.find(scope["method"], scope["path"])
        if found is None:
            return Match.NONE, {}
        route, parameters = found
        return Match.FULL, {"endpoint": route.endpoint, "path_params": parameters, "route": route}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that matched."""
        await scope["route"].handle(scope, receive, send)
