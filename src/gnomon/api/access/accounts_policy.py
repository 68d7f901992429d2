"""`AccountsPolicy`: a request needs a token or a session, and the role of its account on the DAG, or on everything, decides."""

from __future__ import annotations

from collections.abc import Callable, Collection

from starlette.requests import Request

from gnomon.api.access.request_origins import is_of_own_origin, is_of_own_site
from gnomon.api.access.required_roles import OF_DAGS, PUBLIC, check_dag_role, describe_missing_role, find_required_role
from gnomon.api.common.cookies import read_cookie
from gnomon.api.policies import AccessRefused, ApiResource, Credential, Permission, User
from gnomon.model.accounts import Identity, Role
from gnomon.model.sentences import Sentence, say
from gnomon.queries.accounts.authentication import Authenticator
from gnomon.queries.accounts.sessions import OpenSession
from gnomon.storage.store.accounts.session_rows import LoginSession

COOKIE = "gnomon_session"
LOGIN_PATH = "/login"
FOREIGN_PAGE = say("page_of_other_site_or_proxy")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_NOBODY = Identity("", Role.NONE)
_SESSION = "login_session"
"""In the state of a request: the session that it belongs to."""


class AccountsPolicy:
    """`find_tags`: the tags of a DAG by its id; empty for one that does not exist."""

    def __init__(
        self, find_authenticator: Callable[[], Authenticator], find_tags: Callable[[str], Collection[str]]
    ) -> None:
        self._find_authenticator = find_authenticator
        self._find_tags = find_tags
        self._authenticator: Authenticator | None = None
        """Known after the first request: to find it opens the database."""

    def authorize(self, request: Request, permission: Permission, resource: ApiResource, dag_id: str | None) -> User:
        """The user of the request. Raises AccessRefused: 401 without a valid login, 403 without the role, 404 for a DAG that is hidden from the user."""
        if resource in PUBLIC and permission is Permission.READ:
            return User(_NOBODY)
        identity = self.identify(request)
        required = find_required_role(permission, resource)
        if identity.everywhere >= required:
            return User(identity)
        if dag_id is not None:
            check_dag_role(identity, dag_id, self._find_tags(dag_id), required)
        elif resource not in OF_DAGS or not identity.grants:
            raise AccessRefused(403, describe_missing_role(identity, identity.everywhere, required))
        return User(identity)

    def authorize_at_once(self, request: Request, permission: Permission, resource: ApiResource) -> User | None:
        """The user of a request with a token or a session whose role is enough for every DAG; None: call `authorize`, in a thread."""
        if resource in PUBLIC and permission is Permission.READ:
            return User(_NOBODY)
        if self._authenticator is None:
            return None
        authorization = request.headers.get("authorization")
        if authorization is not None:
            identity = self._authenticator.identify_at_once(authorization)
        else:
            identity = self._identify_cookie_at_once(request, self._authenticator)
        return (
            User(identity)
            if identity is not None and identity.everywhere >= find_required_role(permission, resource)
            else None
        )

    @staticmethod
    def _identify_cookie_at_once(request: Request, authenticator: Authenticator) -> Identity | None:
        secret = read_cookie(request, COOKIE)
        if secret is None or (request.method not in _SAFE_METHODS and not comes_from_same_site(request)):
            return None
        session = authenticator.identify_cookie_at_once(secret)
        if session is None:
            return None
        request.scope.setdefault("state", {})[_SESSION] = session.session
        return session.identity

    def identify(self, request: Request) -> Identity:
        """The identity of the token or the session of the request. Raises AccessRefused (401, or 403 for a request from another site)."""
        authorization = request.headers.get("authorization")
        if authorization is not None:
            self._authenticator = self._find_authenticator()
            identity = self._authenticator.identify_header(authorization)
            if identity is None:
                raise _unauthorized(say("token_is_not_valid"))
            return identity
        session = self.find_session(request)
        if session is None:
            raise _unauthorized(say("login_is_needed"))
        if request.method not in _SAFE_METHODS and not comes_from_same_site(request):
            raise AccessRefused(403, FOREIGN_PAGE)
        return session.identity

    def find_credential(self, request: Request) -> Credential:
        """The token of the request, or its session. A check of the session neither changes its secret nor counts as a use."""
        authorization = request.headers.get("authorization")
        find_authenticator = self._find_authenticator
        if authorization is not None:
            return Credential(("header", authorization), lambda: find_authenticator().identify_header(authorization))
        session: LoginSession = request.scope["state"][_SESSION]
        key = (session.session_pk, session.account_pk, session.created_at)
        return Credential(("session", key), lambda: find_authenticator().identify_session(session))

    def find_session(self, request: Request) -> OpenSession | None:
        """The session of the request's cookie; a new secret is put into the answer by the middleware `SessionCookies`."""
        secret = read_cookie(request, COOKIE)
        if secret is None:
            return None
        self._authenticator = self._find_authenticator()
        session = self._authenticator.identify_cookie(secret)
        if session is not None and session.new_secret is not None:
            request.scope.setdefault("state", {})["new_session_secret"] = session.new_secret
        if session is not None:
            request.scope.setdefault("state", {})[_SESSION] = session.session
        return session


def comes_from_same_site(request: Request) -> bool:
    """Whether a browser sent the request from a page of this server: the headers that pages cannot forge say so."""
    is_own_origin, is_own_site = is_of_own_origin(request), is_of_own_site(request)
    return is_own_origin is not False and is_own_site is not False and (is_own_origin or is_own_site) is True


def _unauthorized(reason: Sentence) -> AccessRefused:
    return AccessRefused(401, reason, {"WWW-Authenticate": "Bearer"})
