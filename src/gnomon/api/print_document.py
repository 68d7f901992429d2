"""`python -m gnomon.api.print_document` writes the OpenAPI document of this release as JSON."""

from __future__ import annotations

import json
import sys

from gnomon.api.app import create_documented_app


def main() -> None:
    """Write the document to the standard output."""
    json.dump(create_documented_app().openapi(), sys.stdout, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
