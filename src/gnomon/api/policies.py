"""`AccessPolicy`: decides about one request. `accounts_policy.py` and `open_access.py` have the two that exist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from starlette.requests import Request

from gnomon.model.accounts import Identity
from gnomon.model.sentences import Sentence, render


class Permission(Enum):
    """What a route does to its resource."""

    READ = "read"
    CREATE = "create"
    EDIT = "edit"
    DELETE = "delete"


class ApiResource(Enum):
    """What a route is about."""

    ACCOUNT = "account"
    """Accounts and their tokens."""
    ASSET = "asset"
    AUDIT_LOG = "audit log"
    BACKFILL = "backfill"
    BASELINE = "baseline"
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
    METRIC = "metric"
    PLUGIN = "plugin"
    POOL = "pool"
    PROVIDER = "provider"
    QUARANTINE = "quarantine"
    """What schedulers have set aside: messages with what users and tasks sent."""
    VERSION = "version"
    SIMULATION = "simulation"
    TASK = "task"
    TASK_INSTANCE = "task instance"
    TASK_LOG = "task log"
    VARIABLE = "variable"
    XCOM = "XCom"


@dataclass(frozen=True, slots=True)
class User:
    """Who makes a request, and what that account may do."""

    identity: Identity
    address: str = ""
    """The address of the client."""

    @property
    def name(self) -> str:
        """The name of the account."""
        return self.identity.name


class AccessRefused(Exception):
    """The request is refused with this HTTP status: 401 without a valid login, 403 without the permission, 404 to hide that an object exists."""

    def __init__(self, status: int, sentence: Sentence, headers: dict[str, str] | None = None) -> None:
        super().__init__(render(sentence))
        self.sentence = sentence
        self.status = status
        self.headers = headers or {}


@dataclass(frozen=True, slots=True)
class Credential:
    """How the login of a request that lasts is checked again."""

    key: tuple[str, object]
    """Requests with the same login have equal keys."""
    identify: Callable[[], Identity | None]
    """The identity now; None: the login is not valid any more."""


class AccessPolicy(Protocol):
    """Decides whether a request is allowed."""

    def authorize(self, request: Request, permission: Permission, resource: ApiResource, dag_id: str | None) -> User:
        """The user of the request. `dag_id`: the DAG in its path; None for none, or for `~`. Raises AccessRefused."""

    def authorize_at_once(self, request: Request, permission: Permission, resource: ApiResource) -> User | None:
        """The user of a request that is allowed for every DAG, if that needs neither a wait nor a write; None: call `authorize`, in a thread."""
        return None

    def find_credential(self, request: Request) -> Credential:
        """The login of a request that was allowed."""
