"""`IdentityProvider`: what the api-server asks a provider of OpenID Connect. Authlib does the flow (code with PKCE), PyJWT verifies the signature."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from gnomon.api.identity.oidc_settings import OidcSettings
from gnomon.api.identity.provider_exchange import ProviderUnavailable, exchange, get_object
from gnomon.api.identity.provider_keys import read_keys
from gnomon.api.identity.provider_metadata import choose_client_authentication, fetch_metadata
from gnomon.ground.clock import Clock
from gnomon.model.errors.product import GnomonError
from gnomon.model.instants import SECOND
from gnomon.model.sentences import say
from gnomon.queries.accounts.provider_accounts import complete_claims, find_claim, list_claims

_TOKEN_STATUSES = (200, 400, 401)
"""A refusal is an object too, with its reason."""
METADATA_KEPT_S = 3600.0
FAILURE_KEPT_S = 5.0
"""A provider that did not answer is asked again after this time, so that waiting logins cannot take all threads."""
KEYS_KEPT_S = 3600.0
"""A key that the provider has withdrawn is believed for so long at most."""
KEYS_AGAIN_S = 30.0
"""The keys are read again at most this often for a signature that none of them has made: the provider may have changed its keys."""
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with public keys; never `none`, and none with the secret of the client."""
_TIME_MAX_S = 1e12
_SUBJECT_MAX = 255
_SHOWN_MAX = 300


class ProviderRefused(GnomonError):
    """The identity provider refused this server, or its answer cannot be believed."""


class CodeRefused(ProviderRefused):
    """The identity provider does not know the code that the browser brought."""


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
        self._keys_guard = threading.Lock()
        self._keys: list[Any] = []
        self._keys_read_at: float | None = None

    def build_login_url(self, redirect_url: str, secrets: LoginSecrets) -> str:
        """The address at the provider to which the browser is sent. Raises ProviderUnavailable."""
        metadata = self._read_metadata()
        with self._open_client(redirect_url, metadata) as client:
            url, _ = client.create_authorization_url(
                metadata["authorization_endpoint"],
                state=secrets.state,
                nonce=secrets.nonce,
                code_verifier=secrets.code_verifier,
            )
        return str(url)

    def read_claims(self, code: str, redirect_url: str, secrets: LoginSecrets) -> dict[str, Any]:
        """The verified claims for the code that the browser brought, with those of the userinfo endpoint. Raises ProviderUnavailable and ProviderRefused."""
        metadata = self._read_metadata()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_url,
            "code_verifier": secrets.code_verifier,
        }
        with self._open_client(redirect_url, metadata) as client:
            proof = client.client_auth(client.token_endpoint_auth_method)
            token = exchange(client, "POST", metadata["token_endpoint"], _TOKEN_STATUSES, data=form, auth=proof)
        if "error" in token:
            raise self._explain_refusal(token)
        if not isinstance(token.get("id_token"), str):
            raise ProviderRefused(say("id_token_is_missing"))
        claims = self._verify(token["id_token"], metadata, secrets.nonce)
        return complete_claims(
            claims, self._read_userinfo(metadata, token.get("access_token"), claims), self._settings.rules
        )

    def check_issuer(self, named: str | None) -> None:
        """Refuse an answer of another provider to the browser (RFC 9207). `named`: the issuer that the answer names. Raises ProviderUnavailable and ProviderRefused."""
        if named is None and self._read_metadata().get("authorization_response_iss_parameter_supported") is True:
            raise ProviderRefused(say("answer_names_no_issuer"))
        if named is not None and named != self._settings.issuer:
            raise ProviderRefused(
                say("answer_names_another_issuer", name=show_text(named), issuer=self._settings.issuer)
            )

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

        method = choose_client_authentication(metadata, self._settings.client_secret)
        return OAuth2Session(
            self._settings.client_id,
            self._settings.client_secret,
            scope=self._settings.scopes,
            redirect_uri=redirect_url,
            code_challenge_method="S256",
            token_endpoint_auth_method=method,
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
                self._metadata = fetch_metadata(self._settings.issuer)
            except ProviderUnavailable as error:
                self._failure, self._metadata_until = error, now + FAILURE_KEPT_S
                raise
            self._failure, self._metadata_until = None, now + METADATA_KEPT_S
            return self._metadata

    def _explain_refusal(self, answer: Mapping[str, Any]) -> ProviderRefused:
        kind, why = show_text(answer["error"]), show_text(answer.get("error_description") or "")
        is_of_client = kind in ("invalid_client", "unauthorized_client")
        remedy = "check [oidc] client_id and client_secret" if is_of_client else "begin the login again"
        refusal = ProviderRefused if is_of_client else CodeRefused
        return refusal(
            f"the identity provider refused the code of this login: {kind}{f' ({why})' if why else ''}; {remedy}"
        )

    def _read_userinfo(
        self, metadata: Mapping[str, Any], access_token: object, claims: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The further claims of the userinfo endpoint, if one that is asked for is not in the ID token."""
        claim_names = list_claims(self._settings.rules)
        endpoint = metadata.get("userinfo_endpoint")
        if (
            not isinstance(endpoint, str)
            or not isinstance(access_token, str)
            or not access_token
            or all(find_claim(claims, name) is not None for name in claim_names)
        ):
            return {}
        userinfo = get_object(endpoint, {"Authorization": f"Bearer {access_token}"})
        if userinfo.get("sub") != claims["sub"]:
            raise ProviderRefused(say("userinfo_is_about_another"))
        return userinfo

    # ---- the ID token ------------------------------------------------------------------------------------------------
    def _verify(self, id_token: str, metadata: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        import jwt  # start-up cost: only with [oidc]

        options: Any = {
            "require": ["exp", "iat", "iss", "aud", "sub"],
            "verify_exp": False,
            "verify_iat": False,
            "verify_nbf": False,
        }
        try:
            key = self._find_key(id_token, str(metadata["jwks_uri"]))
            claims: dict[str, Any] = jwt.decode(
                id_token,
                key,
                algorithms=list(ALGORITHMS),
                audience=self._settings.client_id,
                issuer=self._settings.issuer,
                options=options,
            )
        except (ProviderUnavailable, ProviderRefused):
            raise
        except Exception as error:  # PyJWT raises exceptions of any kind for a token or a key of an odd shape
            raise ProviderRefused(say("id_token_is_not_valid", error=show_text(error))) from None
        self._check_client(claims)
        if claims.get("nonce") != nonce:
            raise ProviderRefused(say("id_token_belongs_to_another_login"))
        self._check_times(claims)
        subject = claims["sub"]
        if not isinstance(subject, str) or not 1 <= len(subject) <= _SUBJECT_MAX or not subject.isprintable():
            raise ProviderRefused(say("subject_is_no_text", most=_SUBJECT_MAX))
        return claims

    def _check_client(self, claims: Mapping[str, Any]) -> None:
        """The audience has been checked; the client that the token was issued to must be this one too, whenever it is named."""
        authorized, is_shared = claims.get("azp"), isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if is_shared and authorized is None:
            raise ProviderRefused(say("id_token_is_for_several_clients"))
        if authorized is not None and authorized != self._settings.client_id:
            raise ProviderRefused(
                say("id_token_is_for_another_client", name=show_text(authorized), client_id=self._settings.client_id)
            )

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        times = {name: claims[name] for name in ("exp", "iat", "nbf") if name in claims}
        if not all(type(value) in (int, float) and -_TIME_MAX_S < value < _TIME_MAX_S for value in times.values()):
            raise ProviderRefused(say("times_are_no_numbers"))
        now, leeway_s = self._clock.now() / SECOND, self._settings.leeway_s
        early_s = max(times["iat"], times.get("nbf", times["iat"])) - now
        if early_s > leeway_s:
            raise ProviderRefused(say("id_token_is_from_the_future", age=f"{early_s:.0f}", limit=f"{leeway_s:.0f}"))
        if now - times["exp"] >= leeway_s:
            raise ProviderRefused(say("id_token_has_expired", age=f"{now - times['exp']:.0f}", limit=f"{leeway_s:.0f}"))

    def _find_key(self, id_token: str, jwks_uri: str) -> Any:
        """The key that has signed the token. A token may name none, and a provider may give a new key the id of the one before."""
        import jwt  # start-up cost: only with [oidc]

        key_id = jwt.get_unverified_header(id_token).get("kid")
        failure: Exception | None = None
        for key in self._list_keys(key_id, jwks_uri):
            try:
                jwt.api_jws.decode(id_token, key.key, algorithms=list(ALGORITHMS))
            except Exception as error:  # PyJWT raises exceptions of any kind for a token or a key of an odd shape
                failure = error
            else:
                return key.key
        if failure is not None:
            raise failure
        raise ProviderRefused(say("key_of_id_token_is_unknown", url=jwks_uri))

    def _list_keys(self, key_id: str | None, jwks_uri: str) -> Iterator[Any]:
        """The keys with an id, or all without one: those that are known, then those that the provider lists now."""
        known_keys = self._read_keys(jwks_uri, KEYS_KEPT_S)
        yield from (key for key in known_keys if key_id in (None, key.key_id))
        listed = self._read_keys(jwks_uri, KEYS_AGAIN_S)
        if listed is not known_keys:
            yield from (key for key in listed if key_id in (None, key.key_id))

    def _read_keys(self, jwks_uri: str, kept_s: float) -> list[Any]:
        """The keys as they were read at most `kept_s` ago. Raises ProviderUnavailable."""
        with self._keys_guard:
            now = self._clock.monotonic()
            if self._keys_read_at is None or now - self._keys_read_at >= kept_s:
                self._keys = read_keys(get_object(jwks_uri), jwks_uri)
                self._keys_read_at = now
            return self._keys


def show_text(value: object) -> str:
    """A text of the provider for a sentence: short, and of characters that can be seen; others could clear a terminal or turn the direction of writing."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in str(value)[:_SHOWN_MAX]
    )
