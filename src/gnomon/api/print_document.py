"""`python -m gnomon.api.print_document` writes the OpenAPI document of this release as JSON."""

from __future__ import annotations

import json
import sys

from gnomon.api.app import create_documented_app


def main() -> None:
    """Write the document to the standard output."""
    text = json.dumps(create_documented_app().openapi(), ensure_ascii=False, separators=(",", ":"))
    sys.stdout.buffer.write(text.encode())  # UTF-8, whatever the locale is


if __name__ == "__main__":
    main()
