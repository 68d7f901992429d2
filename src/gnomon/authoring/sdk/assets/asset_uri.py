"""The normal form of the URI of an asset, as Airflow makes it."""

from __future__ import annotations

import warnings
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location


def normalize_uri(uri: str) -> str:
    """Return the URI with a lower case scheme, sorted query, without password, fragment and slashes at the end.

    A text without a scheme, and a URI whose scheme begins with `x-`, stay as they are. Raises ValueError for a text that is no
    URI, and for the scheme `airflow`, which Airflow reserves.
    """
    try:
        parts = urlsplit(uri)
        password = parts.password
    except ValueError as error:
        raise ValueError(
            f"Asset uri {uri!r}{format_location(find_author_location())} is not valid: {error}. Write scheme://host/path, or a plain name."
        ) from None
    scheme = parts.scheme.lower()
    if not scheme or scheme.startswith("x-"):
        return uri
    if scheme == "airflow":
        raise ValueError(
            f"Asset uri {uri!r}{format_location(find_author_location())}: the scheme 'airflow' is reserved. Use another scheme."
        )
    netloc = parts.netloc
    if password:
        warnings.warn(
            f"Asset uri{format_location(find_author_location())} contains a password; user and password are dropped. Use a connection.",
            UserWarning,
            stacklevel=4,
        )
        netloc = netloc.rpartition("@")[2]
    query = urlencode(sorted(parse_qsl(parts.query))) if parts.query else ""
    return urlunsplit((scheme, netloc, parts.path.rstrip("/") or "/", query, ""))
