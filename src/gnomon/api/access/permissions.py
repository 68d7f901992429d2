"""`requires`: the permission that a route needs, declared with the route; `check_routes` refuses an application with a route without one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.params import Depends as DependsMarker
from fastapi.routing import APIRoute

from gnomon.api.access.policies import ApiResource, Permission, User
from gnomon.api.common.paths import ALL, restore_slashes
from gnomon.api.context import ApiContext
from gnomon.errors.product import InternalError


class RequiredPermission:
    """A dependency that asks the policy of the server, and keeps the user in the state of the request."""

    def __init__(self, permission: Permission, resource: ApiResource) -> None:
        self.permission = permission
        self.resource = resource

    def __call__(self, request: Request) -> None:
        context: ApiContext = request.app.state.context
        in_path = request.path_params.get("dag_id")
        dag_id = None if in_path in (None, ALL) else restore_slashes(str(in_path))
        request.state.user = context.policy.authorize(request, self.permission, self.resource, dag_id)


def requires(permission: Permission, resource: ApiResource) -> Any:
    """The dependency of a route: `dependencies=[requires(Permission.READ, ApiResource.DAG)]`. Any: as FastAPI declares it."""
    return Depends(RequiredPermission(permission, resource))


def find_permission(route: APIRoute) -> RequiredPermission | None:
    """The permission that a route declares; None when it declares none."""
    found = [one.dependency for one in route.dependencies if isinstance(one, DependsMarker)]
    return next((one for one in found if isinstance(one, RequiredPermission)), None)


def check_routes(app: FastAPI, prefix: str) -> None:
    """Raise InternalError when a route below the prefix declares no permission, or cannot declare one."""
    for route in app.routes:
        path = getattr(route, "path", "")
        if path.startswith(prefix) and (not isinstance(route, APIRoute) or find_permission(route) is None):
            raise InternalError(f"route {path} declares no permission; add requires(...) to its dependencies")


def _find_user(request: Request) -> User:
    user: User = request.state.user
    return user


CurrentUser = Annotated[User, Depends(_find_user)]
"""The user of the request, whom the policy has found."""
