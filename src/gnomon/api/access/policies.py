"""`AccessPolicy`: decides about one request. Until there are accounts, `OpenAccess` allows everything and `ClosedAccess` nothing."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from starlette.requests import Request


class Permission(Enum):
    """What a route does to its resource."""

    READ = "read"
    CREATE = "create"
    EDIT = "edit"
    DELETE = "delete"


class ApiResource(Enum):
    """What a route is about."""

    ASSET = "asset"
    AUDIT_LOG = "audit log"
    BACKFILL = "backfill"
    CONFIGURATION = "configuration"
    CONNECTION = "connection"
    DAG = "DAG"
    DAG_CODE = "DAG code"
    DAG_RUN = "run"
    DAG_VERSION = "DAG version"
    HEALTH = "health"
    """Whether the services live, which a probe asks without an account."""
    HITL_DETAIL = "question"
    IMPORT_ERROR = "import error"
    JOB = "job"
    PLUGIN = "plugin"
    POOL = "pool"
    PROVIDER = "provider"
    VERSION = "version"
    TASK = "task"
    TASK_INSTANCE = "task instance"
    TASK_LOG = "task log"
    VARIABLE = "variable"
    XCOM = "XCom"


@dataclass(frozen=True, slots=True)
class User:
    """Who makes a request."""

    name: str


class AccessRefused(Exception):
    """The request is refused with this HTTP status: 401 without a valid login, 403 without the permission, 404 to hide that an object exists."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class AccessPolicy(Protocol):
    """Decides whether a request is allowed."""

    def authorize(self, request: Request, permission: Permission, resource: ApiResource, dag_id: str | None) -> User:
        """The user of the request. `dag_id`: the DAG in its path; None for none, or for `~`. Raises AccessRefused."""


class OpenAccess:
    """Allows everything to everybody who reaches the socket: for a loopback address only."""

    def authorize(self, request: Request, permission: Permission, resource: ApiResource, dag_id: str | None) -> User:
        """The user `anonymous`."""
        return User("anonymous")


class ClosedAccess:
    """Refuses everything but health: for an address that other machines reach, while there are no accounts."""

    def authorize(self, request: Request, permission: Permission, resource: ApiResource, dag_id: str | None) -> User:
        """Raise AccessRefused with 403."""
        if resource is ApiResource.HEALTH:
            return User("anonymous")
        raise AccessRefused(
            403, "the API needs accounts on an address that other machines reach, and this version has none; set [api] host to 127.0.0.1"
        )


def choose_policy(host: str) -> AccessPolicy:
    """The policy of a server that listens on this numeric address: open on a loopback address, else closed."""
    try:
        is_loopback = ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        is_loopback = False
    return OpenAccess() if is_loopback else ClosedAccess()
