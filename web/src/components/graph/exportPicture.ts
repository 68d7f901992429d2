/** The picture as a file: SVG with the colours of the page written into it, or PNG of it. */

import { FONT } from "./texts";

const MARGIN = 20;
/** Pixels of a PNG for one of the picture, and how many a side may have. */
const SHARPNESS = 2;
const SIDE_MAX = 16_000;
const WRITTEN = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

/** `shown`: the group of the whole picture, in which nothing is left out. */
export function writeSvg(shown: SVGGElement, width: number, height: number): string {
  const copy = shown.cloneNode(true) as SVGGElement;
  const from = [shown, ...shown.querySelectorAll<SVGElement>("*")];
  const to = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  from.forEach((element, at) => {
    const target = to[at] as SVGElement;
    const style = getComputedStyle(element);
    for (const name of WRITTEN) {
      const value = style.getPropertyValue(name);
      if (value) target.setAttribute(name, value);
    }
    target.removeAttribute("class");
  });
  for (const left of copy.querySelectorAll("[data-fold]")) left.remove();
  copy.removeAttribute("transform");
  const box = [-MARGIN, -MARGIN, Math.ceil(width) + 2 * MARGIN, Math.ceil(height) + 2 * MARGIN];
  const ground = getComputedStyle(shown.ownerSVGElement as SVGSVGElement).getPropertyValue("background-color");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(" ")}" width="${box[2]}" height="${box[3]}" font-family="${FONT.replace(/^\d+ \d+px /, "").replaceAll('"', "'")}">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${box[2]}" height="${box[3]}" fill="${ground}"/>`,
    new XMLSerializer().serializeToString(copy),
    "</svg>",
  ].join("");
}

export async function drawPng(svg: string, width: number, height: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const sharpness = Math.min(SHARPNESS, SIDE_MAX / (Math.max(width, height) + 2 * MARGIN));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((width + 2 * MARGIN) * sharpness);
  canvas.height = Math.ceil((height + 2 * MARGIN) * sharpness);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for a PNG")))),
  );
}
