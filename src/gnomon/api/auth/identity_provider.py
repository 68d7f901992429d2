"""`IdentityProvider`: what the api-server asks a provider of OpenID Connect. Authlib does the flow (code with PKCE), PyJWT verifies the signature."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from gnomon.accounts.provider_accounts import find_claim
from gnomon.api.auth.oidc_settings import OidcSettings
from gnomon.clock import Clock
from gnomon.errors.product import GnomonError
from gnomon.model.instants import SECOND

TIMEOUT_S = 10.0
METADATA_KEPT_S = 3600.0
FAILURE_KEPT_S = 5.0
"""A provider that did not answer is asked again after this time, so that waiting logins cannot take all threads."""
KEYS_AGAIN_S = 30.0
"""The keys are read again at most this often for a key id that is not known."""
ANSWER_BYTES_MAX = 1_000_000
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with public keys; never `none`, and none with the secret of the client."""


class ProviderUnavailable(GnomonError):
    """The identity provider does not answer, or not as OpenID Connect says."""


class ProviderRefused(GnomonError):
    """The identity provider refused this server, or its answer cannot be believed."""


@dataclass(frozen=True, slots=True)
class LoginSecrets:
    """What belongs to one login and must come back: sealed in a cookie of the browser."""

    state: str
    nonce: str
    code_verifier: str


class IdentityProvider:
    """The provider of `[oidc]`; threads share it."""

    def __init__(self, settings: OidcSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._guard = threading.Lock()
        self._metadata: dict[str, Any] | None = None
        self._metadata_until = 0.0
        self._failure: ProviderUnavailable | None = None
        self._keys: Any = None
        self._keys_again_at = 0.0

    def build_login_url(self, redirect_url: str, secrets: LoginSecrets) -> str:
        """The address at the provider to which the browser is sent. Raises ProviderUnavailable."""
        metadata = self._read_metadata()
        with self._open_client(redirect_url, metadata) as client:
            url, _ = client.create_authorization_url(
                metadata["authorization_endpoint"], state=secrets.state, nonce=secrets.nonce, code_verifier=secrets.code_verifier
            )
        return str(url)

    def read_claims(self, code: str, redirect_url: str, secrets: LoginSecrets) -> dict[str, Any]:
        """The verified claims for the code that the browser brought, with those of the userinfo endpoint. Raises ProviderUnavailable and ProviderRefused."""
        import requests  # start-up cost: only with [oidc]
        from authlib.common.errors import AuthlibBaseError

        metadata = self._read_metadata()
        with self._open_client(redirect_url, metadata) as client:
            try:
                token = client.fetch_token(
                    metadata["token_endpoint"], code=code, code_verifier=secrets.code_verifier, grant_type="authorization_code", timeout=TIMEOUT_S
                )
            except AuthlibBaseError as error:
                raise self._explain_refusal(error) from None
            except (requests.RequestException, ValueError) as error:
                raise self._unavailable(metadata["token_endpoint"], error) from None
        if not isinstance(token, Mapping) or not isinstance(token.get("id_token"), str):
            raise ProviderRefused("the identity provider answered without an ID token; [oidc] scopes must have `openid`")
        claims = self._verify(token["id_token"], metadata, secrets.nonce)
        return {**self._read_userinfo(metadata, str(token.get("access_token", "")), claims), **claims}

    def build_logout_url(self, back_to: str) -> str | None:
        """The address that ends the session at the provider and leads back; None when the provider has none. Raises ProviderUnavailable."""
        endpoint = self._read_metadata().get("end_session_endpoint")
        if not isinstance(endpoint, str):
            return None
        query = urlencode({"client_id": self._settings.client_id, "post_logout_redirect_uri": back_to})
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"

    # ---- requests ----------------------------------------------------------------------------------------------------
    def _open_client(self, redirect_url: str, metadata: Mapping[str, Any]) -> Any:
        from authlib.integrations.requests_client import OAuth2Session  # start-up cost: only with [oidc]

        supported = metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        method = "none" if not self._settings.client_secret else "client_secret_basic" if "client_secret_basic" in supported else "client_secret_post"
        return OAuth2Session(
            self._settings.client_id, self._settings.client_secret, scope=self._settings.scopes, redirect_uri=redirect_url,
            code_challenge_method="S256", token_endpoint_auth_method=method,
        )

    def _read_metadata(self) -> dict[str, Any]:
        with self._guard:
            now = self._clock.monotonic()
            if now < self._metadata_until:
                if self._failure is not None:
                    raise self._failure
                assert self._metadata is not None
                return self._metadata
            try:
                self._metadata = self._fetch_metadata()
            except ProviderUnavailable as error:
                self._failure, self._metadata_until = error, now + FAILURE_KEPT_S
                raise
            self._failure, self._metadata_until = None, now + METADATA_KEPT_S
            return self._metadata

    def _fetch_metadata(self) -> dict[str, Any]:
        url = f"{self._settings.issuer.rstrip('/')}/.well-known/openid-configuration"
        found = self._get_json(url)
        if found.get("issuer") != self._settings.issuer:
            raise ProviderUnavailable(
                f"{url} names the issuer {found.get('issuer')!r}, and [oidc] issuer is {self._settings.issuer!r}: write it exactly as the provider does, also the / at its end"
            )
        missing = [name for name in ("authorization_endpoint", "token_endpoint", "jwks_uri") if not isinstance(found.get(name), str)]
        if missing:
            raise ProviderUnavailable(f"{url} names no {missing[0]}: this is no provider of OpenID Connect with the flow by code")
        return found

    def _get_json(self, url: str, access_token: str = "") -> dict[str, Any]:
        import requests  # start-up cost: only with [oidc]

        headers = {"Authorization": f"Bearer {access_token}"} if access_token else {}
        try:
            answer = requests.get(url, headers=headers, timeout=TIMEOUT_S, allow_redirects=False, stream=True)
            body = answer.raw.read(ANSWER_BYTES_MAX + 1, decode_content=True)
            if answer.status_code != 200:
                raise ProviderUnavailable(f"the identity provider answered {url} with status {answer.status_code}; [oidc] issuer may be wrong")
            if len(body) > ANSWER_BYTES_MAX:
                raise ProviderUnavailable(f"the identity provider answered {url} with more than {ANSWER_BYTES_MAX} bytes")
            found = json.loads(body)
        except (requests.RequestException, OSError, ValueError) as error:
            raise self._unavailable(url, error) from None
        if not isinstance(found, dict):
            raise ProviderUnavailable(f"the identity provider answered {url} with something that is no JSON object")
        return found

    def _unavailable(self, url: str, error: Exception) -> ProviderUnavailable:
        return ProviderUnavailable(f"the identity provider does not answer at {url} ({type(error).__name__}); try again later, or log in with a password")

    def _explain_refusal(self, error: Any) -> ProviderRefused:
        kind, why = getattr(error, "error", "") or type(error).__name__, getattr(error, "description", "") or ""
        remedy = "check [oidc] client_id and client_secret" if kind in ("invalid_client", "unauthorized_client") else "begin the login again"
        return ProviderRefused(f"the identity provider refused the code of this login: {kind}{f' ({why})' if why else ''}; {remedy}")

    def _read_userinfo(self, metadata: Mapping[str, Any], access_token: str, claims: Mapping[str, Any]) -> dict[str, Any]:
        """The further claims of the userinfo endpoint, if one that is asked for is not in the ID token."""
        rules = self._settings.rules
        wanted = [name for name in (rules.name_claim, rules.role_claim) if name]
        endpoint = metadata.get("userinfo_endpoint")
        if not isinstance(endpoint, str) or not access_token or all(find_claim(claims, name) is not None for name in wanted):
            return {}
        found = self._get_json(endpoint, access_token)
        if found.get("sub") != claims["sub"]:
            raise ProviderRefused("the identity provider's userinfo is about another subject than its ID token; nothing of it is believed")
        return found

    # ---- the ID token ------------------------------------------------------------------------------------------------
    def _verify(self, id_token: str, metadata: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        import jwt  # start-up cost: only with [oidc]

        options: Any = {"require": ["exp", "iat", "iss", "aud", "sub"], "verify_exp": False, "verify_iat": False, "verify_nbf": False}
        try:
            key = self._find_key(id_token, str(metadata["jwks_uri"]))
            claims: dict[str, Any] = jwt.decode(
                id_token, key.key, algorithms=list(ALGORITHMS), audience=self._settings.client_id, issuer=self._settings.issuer, options=options
            )
        except jwt.PyJWTError as error:
            raise ProviderRefused(f"the ID token of the identity provider is not valid: {error}") from None
        authorized = claims.get("azp")
        if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and authorized != self._settings.client_id:
            raise ProviderRefused("the ID token of the identity provider is for several clients, and was not issued to this one (claim azp)")
        if claims.get("nonce") != nonce:
            raise ProviderRefused("the ID token of the identity provider belongs to another login (nonce); begin the login again")
        self._check_times(claims)
        return claims

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        times = {name: claims[name] for name in ("exp", "iat", "nbf") if name in claims}
        if any(type(value) not in (int, float) for value in times.values()):
            raise ProviderRefused("the ID token of the identity provider has times that are no numbers")
        now, leeway_s = self._clock.now() / SECOND, self._settings.leeway_s
        early_s = max(times["iat"], times.get("nbf", times["iat"])) - now
        if early_s > leeway_s:
            raise ProviderRefused(
                f"the ID token of the identity provider is from the future, by {early_s:.0f} s: correct the clock of this machine or of the provider; "
                f"[oidc] leeway permits {leeway_s:.0f} s"
            )
        if now - times["exp"] >= leeway_s:
            raise ProviderRefused(
                f"the ID token of the identity provider expired {now - times['exp']:.0f} s ago: correct the clock of this machine or of the provider; "
                f"[oidc] leeway permits {leeway_s:.0f} s"
            )

    def _find_key(self, id_token: str, jwks_uri: str) -> Any:
        import jwt  # start-up cost: only with [oidc]

        wanted = jwt.get_unverified_header(id_token).get("kid")
        with self._guard:
            for _ in range(2):
                keys = [] if self._keys is None else [key for key in self._keys.keys if wanted in (None, key.key_id) and key.public_key_use in (None, "sig")]
                if keys:
                    return keys[0]
                if self._clock.monotonic() < self._keys_again_at and self._keys is not None:
                    break
                self._keys = jwt.PyJWKSet.from_dict(self._get_json(jwks_uri))
                self._keys_again_at = self._clock.monotonic() + KEYS_AGAIN_S
        raise ProviderRefused(f"the ID token of the identity provider is signed with a key that {jwks_uri} does not list")
