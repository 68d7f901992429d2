"""The settings of Sphinx for the site; docs/build_site.py makes the folder of pages that Sphinx reads, and calls it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # source_pages is beside this file

project = "Gnomon"
language = "en"
extensions = ["myst_parser", "sphinx_copybutton", "source_pages"]
nitpicky = True

myst_heading_anchors = 4
"""Anchors are as those of code hosts, so that the same link works there and here."""

html_theme = "furo"
html_title = "Gnomon"
html_static_path = ["static"]
html_css_files = ["gnomon.css"]
html_copy_source = False
html_use_index = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True, "footer_icons": []}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
copybutton_exclude = ".linenos, .gp, .go"
