/** The view as a PNG: a copy of it with the styles of the page, which the browser draws as an SVG. Nothing is asked from the network but the font, and no script runs in it. */

import { t } from "../../state/language";
import { formatTime, type Zone } from "../../state/times";
import { copyView } from "./copyView";

const SVG = "http://www.w3.org/2000/svg";
/** Pixels of the PNG for one of the page. */
const SHARPNESS = 2;
/** CSS pixels of a view that are drawn: what is further down is cut. */
const HEIGHT_MAX = 6_000;
const FOOT_PX = 28;
const STILL =
  "*, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent; scrollbar-width: none; }";
/** Characters that XML has no room for; texts of tasks have them. */
const NO_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

export async function drawView(zone: Zone): Promise<Blob> {
  const main = document.querySelector<HTMLElement>("main");
  if (!main) throw new Error("there is no view");
  const { body, width, height } = copyView(main, HEIGHT_MAX);
  body.append(writeFoot(zone));
  body.style.height = `${height + FOOT_PX}px`;
  const svg = wrap(body, await writeStyles(), width, height + FOOT_PX);
  return await drawPng(svg, width, height + FOOT_PX);
}

/** The address and the time: a picture in a chat is looked at later, elsewhere. */
function writeFoot(zone: Zone): HTMLElement {
  const foot = document.createElement("div");
  foot.className = "soft";
  const at = formatTime(new Date().toISOString(), zone);
  foot.textContent = `${window.location.host}${decodeURI(window.location.pathname)} · ${at}`;
  Object.assign(foot.style, {
    position: "absolute",
    inset: "auto 0 0",
    height: `${FOOT_PX}px`,
    padding: "5px 16px",
    overflow: "hidden",
    whiteSpace: "nowrap",
    textOverflow: "ellipsis",
    fontSize: "12px",
    background: "var(--ground)",
    zIndex: "99",
  });
  return foot;
}

function wrap(body: HTMLElement, styles: string, width: number, height: number): string {
  const svg = document.createElementNS(SVG, "svg");
  const shown = document.documentElement;
  for (const { name, value } of shown.attributes) if (name !== "style") svg.setAttribute(name, value);
  const { theme } = shown.dataset;
  const isDark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  svg.style.colorScheme = isDark ? "dark" : "light";
  svg.style.fontSize = getComputedStyle(shown).fontSize;
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  const box = document.createElementNS(SVG, "foreignObject");
  box.setAttribute("width", "100%");
  box.setAttribute("height", "100%");
  const style = document.createElement("style");
  style.textContent = styles;
  box.append(style, body);
  svg.append(box);
  return new XMLSerializer().serializeToString(svg).replace(NO_XML, "\u{fffd}");
}

/** The style sheets of the page as they were written, with its font in them: a picture cannot read files. (What the browser says of a rule lacks shorthands with variables of which a part is set again.) */
async function writeStyles(): Promise<string> {
  const texts = await Promise.all([...document.styleSheets].map(readSheet));
  return [...texts, STILL].join("\n");
}

async function readSheet({ href, ownerNode }: CSSStyleSheet): Promise<string> {
  if (href === null) return ownerNode?.textContent ?? "";
  const text = await (await fetch(href)).text();
  const fonts = [
    ...new Set([...text.matchAll(/url\(["']?([^"')]+\.woff2)["']?\)/g)].map((match) => match[1] as string)),
  ];
  const contents = await Promise.all(fonts.map((address) => readFont(new URL(address, href))));
  return fonts.reduce((all, address, at) => all.replaceAll(address, contents[at] ?? ""), text);
}

/** Without its file the picture has the next font. */
async function readFont(address: URL): Promise<string> {
  try {
    const answer = await fetch(address);
    return answer.ok ? await readAddress(await answer.blob()) : "";
  } catch {
    return "";
  }
}

function readAddress(content: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error("the file cannot be read"));
    reader.readAsDataURL(content);
  });
}

async function drawPng(svg: string, width: number, height: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * SHARPNESS;
  canvas.height = height * SHARPNESS;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(t("The view is too large for a picture."))))),
  );
}
