"""Words about the identity provider of logins."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "id_token_is_missing": "the identity provider answered without an ID token; [oidc] scopes must have `openid`",
    "answer_names_no_issuer": "the answer of the identity provider names no issuer (iss), and this provider always names it; begin the login again",
    "answer_names_another_issuer": "the answer comes from another identity provider (iss is {name!r}, and [oidc] issuer is {issuer!r}); begin the login again",
    "userinfo_is_about_another": "the identity provider's userinfo is about another subject than its ID token; nothing of it is believed",
    "id_token_is_not_valid": "the ID token of the identity provider is not valid: {error}",
    "id_token_belongs_to_another_login": "the ID token of the identity provider belongs to another login (nonce); begin the login again",
    "subject_is_no_text": "the ID token of the identity provider is not valid: its claim sub is no text of 1 to {most} characters",
    "id_token_is_for_several_clients": "the ID token of the identity provider is for several clients, and does not say that it was issued to this one (claim azp)",
    "id_token_is_for_another_client": "the ID token of the identity provider names another client, and was not issued to this one (claim azp): it names {name!r}, and [oidc] client_id is {client_id!r}",
    "times_are_no_numbers": "the ID token of the identity provider has times that are no numbers",
    "id_token_is_from_the_future": "the ID token of the identity provider is from the future, by {age} s: correct the clock of this machine or of the provider; [oidc] leeway permits {limit} s",
    "id_token_has_expired": "the ID token of the identity provider expired {age} s ago: correct the clock of this machine or of the provider; [oidc] leeway permits {limit} s",
    "key_of_id_token_is_unknown": "the ID token of the identity provider is signed with a key that {url} does not list",
    "provider_answered_with_status": "the identity provider answered {url} with status {number}; [oidc] issuer may be wrong",
    "provider_answer_is_too_long": "the identity provider answered {url} with more than {most} bytes",
    "provider_does_not_answer": "the identity provider does not answer at {url} ({error}); try again later, or log in with a password",
    "provider_answer_is_no_object": "the identity provider answered {url} with something that is no JSON object",
    "provider_answer_did_not_end": "the identity provider did not finish its answer at {url} within {duration}; try again later, or log in with a password",
    "provider_keys_are_no_list": "the identity provider answered {url} with something that is no JSON Web Key Set (`keys` is no list of keys)",
    "provider_has_many_keys": "the identity provider answered {url} with {number} keys, and at most {most} are read",
    "provider_names_another_issuer": "{url} names the issuer {name}, and [oidc] issuer is {issuer!r}: write it exactly as the provider does, also the / at its end",
    "provider_names_no_endpoint": "{url} names no {name}: this is no provider of OpenID Connect with the flow by code",
    "provider_endpoint_is_not_safe": "{url} names the {name} {text!r}, which is not used: the issuer is {issuer!r}, so the address must begin with {example} and have no name and password; correct the address at the provider",
    "packages_of_oidc_are_missing": "[oidc] issuer ({source}) needs packages that are not installed: run `pip install 'gnomon[oidc]'` where the api-server runs",
    "client_id_is_missing": "[oidc] issuer ({source}) is set, and [oidc] client_id is not: register Gnomon at the provider, and set both",
    "issuer_is_not_safe": "[oidc] issuer ({source}) is {issuer!r}; give an address that begins with https:// (http:// only on this machine)",
    "role_of_value_is_missing": "[oidc] roles ({source}) has {text!r}; write VALUE=ROLE with commas between them, for example admins=admin, *=viewer",
    "option_of_oidc_is_wrong": "[oidc] {option} ({source}): {error}",
}
