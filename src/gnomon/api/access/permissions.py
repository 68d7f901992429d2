"""`requires`: the permission that a route needs, declared with the route; `check_routes` refuses an application with a route without one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.params import Depends as DependsMarker
from fastapi.routing import APIRoute

from gnomon.api.common.paths import ALL, restore_slashes
from gnomon.api.common.trusted_proxies import find_address
from gnomon.api.context import ApiContext
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.model.accounts import Author
from gnomon.model.errors.product import InternalError


class RequiredPermission:
    """A dependency that asks the policy of the server, and keeps the user in the state of the request."""

    def __init__(self, permission: Permission, resource: ApiResource) -> None:
        self.permission = permission
        self.resource = resource

    async def __call__(self, request: Request) -> None:
        """Ask in the event loop if that waits for nothing: a thread costs more than the answer, and on busy processors each change of threads is a wait."""
        context: ApiContext = request.app.state.context
        user = context.policy.authorize_at_once(request, self.permission, self.resource)
        if user is None:
            in_path = request.path_params.get("dag_id")
            dag_id = None if in_path in (None, ALL) else restore_slashes(str(in_path))
            user = await to_thread.run_sync(context.policy.authorize, request, self.permission, self.resource, dag_id)
        request.state.user = replace(user, address=find_address(request))


def requires(permission: Permission, resource: ApiResource) -> Any:
    """The dependency of a route: `dependencies=[requires(Permission.READ, ApiResource.DAG)]`. Any: as FastAPI declares it."""
    return Depends(RequiredPermission(permission, resource))


def find_permission(route: APIRoute) -> RequiredPermission | None:
    """The permission that a route declares; None when it declares none."""
    dependencies = [marker.dependency for marker in route.dependencies if isinstance(marker, DependsMarker)]
    return next((dependency for dependency in dependencies if isinstance(dependency, RequiredPermission)), None)


def list_operations(routers: Iterable[APIRouter]) -> list[APIRoute]:
    """The routes of the routers. Raises InternalError for a route that cannot declare a permission, or declares none.

    The routers are read themselves: newer releases of FastAPI do not list the routes of an included router as routes of the application.
    """
    operations = []
    for router in routers:
        for route in router.routes:
            if not isinstance(route, APIRoute) or find_permission(route) is None:
                raise InternalError(
                    f"route {getattr(route, 'path', route)} declares no permission; add requires(...) to its dependencies"
                )
            operations.append(route)
    return operations


def check_routes(app: FastAPI, prefix: str) -> None:
    """Raise InternalError when a route below the prefix belongs to the application itself and not to a router that `list_operations` has read."""
    for route in app.routes:
        path = getattr(route, "path", "") or ""
        if path.startswith(prefix) and (not isinstance(route, APIRoute) or find_permission(route) is None):
            raise InternalError(f"route {path} declares no permission; add requires(...) to its dependencies")


async def _find_user(request: Request) -> User:
    user: User = request.state.user
    return user


async def _find_author(request: Request) -> Author:
    context: ApiContext = request.app.state.context
    user: User = request.state.user
    return Author(f"api:{user.name}", context.clock.now(), user.address)


CurrentAuthor = Annotated[Author, Depends(_find_author)]
"""The user of the request, for a change that the audit log names."""
CurrentUser = Annotated[User, Depends(_find_user)]
"""The user of the request, whom the policy has found."""
