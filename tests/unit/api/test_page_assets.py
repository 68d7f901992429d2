"""`PageAssets`: the files of the page, compressed for a client that accepts it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gnomon.api.page_assets import COMPRESSED_MIN, PageAssets

pytestmark = pytest.mark.pure

TEXT = b"let a = 1;\n" * COMPRESSED_MIN


@pytest.fixture
def assets(tmp_path: Path) -> PageAssets:
    (tmp_path / "large.js").write_bytes(TEXT)
    (tmp_path / "small.css").write_bytes(b"a { b: c }")
    (tmp_path / ".hidden").write_bytes(TEXT)
    return PageAssets(tmp_path)


@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5"])
def test_a_large_file_is_compressed_for_who_accepts_it(assets: PageAssets, accepted: str) -> None:
    found = assets.find("large.js")
    assert found is not None
    body, headers = found.choose(accepted)
    assert (gzip.decompress(body), headers["Content-Encoding"], headers["Vary"]) == (TEXT, "gzip", "Accept-Encoding")
    assert len(body) < len(TEXT) / 10
    assert found.media_type == "text/javascript"


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "gzip; q=0.000"])
def test_others_get_it_as_it_is(assets: PageAssets, accepted: str) -> None:
    found = assets.find("large.js")
    assert found is not None
    body, headers = found.choose(accepted)
    assert body == TEXT
    assert "Content-Encoding" not in headers


def test_a_small_file_is_never_compressed(assets: PageAssets) -> None:
    found = assets.find("small.css")
    assert found is not None
    assert found.choose("gzip")[0] == b"a { b: c }"


@pytest.mark.parametrize("name", ["none.js", ".hidden", "../large.js", "a/b", "\0", "a" * 300])
def test_there_is_no_other_file(assets: PageAssets, name: str) -> None:
    assert assets.find(name) is None
