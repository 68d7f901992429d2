"""The print of a picture: the brightness of its squares, a letter each, small enough to be kept as text and to be compared line by line."""

from __future__ import annotations

import base64

from playwright.sync_api import Page

LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The levels of brightness, from black to white."""
SQUARE = {"wide": 40, "narrow": 20}
"""Pixels on a side."""
LEVELS_MAX = 1
"""A square that differs by so many levels is the same: what differs between two runs of the same Chromium is the smoothing of edges."""
SHARE_MAX = 0.004
"""The share of squares that may differ otherwise: three of 828, so that a line that is gone, a button or a shift of what stands below is seen."""
_MEASURE = """async ([data, square, levels]) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    const columns = Math.ceil(bitmap.width / square), rows = Math.ceil(bitmap.height / square);
    const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const sums = new Float64Array(columns * rows), counts = new Float64Array(columns * rows);
    for (let y = 0; y < bitmap.height; y += 1)
        for (let x = 0; x < bitmap.width; x += 1) {
            const at = (y * bitmap.width + x) * 4;
            const place = Math.floor(y / square) * columns + Math.floor(x / square);
            sums[place] += 0.25 * pixels[at] + 0.6 * pixels[at + 1] + 0.15 * pixels[at + 2];
            counts[place] += 1;
        }
    return Array.from(sums, (sum, place) => Math.min(levels - 1, Math.floor((sum / counts[place] / 256) * levels)));
}"""


def measure_print(blank: Page, picture: bytes, size: str) -> str:
    """The print of a picture in PNG. `blank`: a page without a policy of content, which reads it."""
    found = blank.evaluate(_MEASURE, [base64.b64encode(picture).decode(), SQUARE[size], len(LETTERS)])
    return "".join(LETTERS[level] for level in found)


def find_difference(before: str, after: str) -> float:
    """The share of squares that differ; 1.0 for pictures of different sizes."""
    if len(before) != len(after):
        return 1.0
    levels = [abs(LETTERS.index(one) - LETTERS.index(other)) for one, other in zip(before, after, strict=True)]
    return sum(level > LEVELS_MAX for level in levels) / len(levels)
