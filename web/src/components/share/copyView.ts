/** A copy of what the view shows, for a picture of it: in the copy nothing scrolls, sticks or is typed, and all stands where it is seen now. */

/** Sheets beside the view, which stand in the document outside of it. */
const SHEETS = "[data-sheet]";
/** What a picture cannot have, or would ask the network for. */
const LEFT_OUT = 'script, iframe, object, embed, link, dialog, [popover], img:not([src^="data:"])';

/** Below the last part of the view. */
const MARGIN = 16;

export interface ViewCopy {
  body: HTMLElement;
  /** CSS pixels. */
  width: number;
  height: number;
}

/** `main`: the view, of which at most so many CSS pixels are shown. */
export function copyView(main: HTMLElement, heightMax: number): ViewCopy {
  const place = main.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  const sheets = [...document.querySelectorAll<HTMLElement>(SHEETS)];
  const ends = [...main.children].map((child) => child.getBoundingClientRect().bottom - place.top + MARGIN);
  const height = Math.ceil(Math.min(heightMax, Math.max(...ends, ...sheets.map((sheet) => sheet.offsetHeight))));
  const body = document.createElement("body");
  setStyle(body, { position: "relative", width: `${width}px`, height: `${height}px`, overflow: "hidden" });
  const copy = copyTree(main);
  setStyle(copy, { width: `${place.width}px`, maxWidth: "none", minHeight: "0", margin: `0 0 0 ${place.left}px` });
  body.append(copy);
  for (const sheet of sheets) {
    const beside = copyTree(sheet);
    const { left, width: wide } = sheet.getBoundingClientRect();
    setStyle(beside, {
      position: "absolute",
      inset: `0 auto auto ${left}px`,
      width: `${wide}px`,
      height: `${height}px`,
    });
    body.append(beside);
  }
  return { body, width, height };
}

/** What is kept of an element before any is changed. */
interface Pair {
  from: HTMLElement;
  to: HTMLElement;
  style: CSSStyleDeclaration;
}

function copyTree(shown: HTMLElement): HTMLElement {
  const copy = shown.cloneNode(true) as HTMLElement;
  const from = [shown, ...shown.querySelectorAll<HTMLElement>("*")];
  const to = [copy, ...copy.querySelectorAll<HTMLElement>("*")];
  const pairs = from.map((element, at) => ({
    from: element,
    to: to[at] as HTMLElement,
    style: getComputedStyle(element),
  }));
  const sticky = pairs.filter(({ style }) => style.position === "sticky");
  const moved = measureMoved(sticky.map(({ from: element }) => element));
  sticky.forEach(({ from: element, to: target }, at) => holdSticky(element, target, moved[at]));
  for (const pair of pairs) {
    writeValue(pair);
    if (pair.from !== shown && /auto|scroll|hidden|clip/.test(pair.style.overflow)) holdScrolled(pair);
  }
  for (const element of copy.querySelectorAll(LEFT_OUT)) element.remove();
  return copy;
}

/** How far each sticky element stands from where it would stand by itself. */
function measureMoved(elements: readonly HTMLElement[]): { x: number; y: number }[] {
  const held = elements.map((element) => element.getBoundingClientRect());
  const kept = elements.map((element) => element.style.cssText);
  for (const element of elements) setStyle(element, { position: "relative", inset: "auto" });
  const free = elements.map((element) => element.getBoundingClientRect());
  elements.forEach((element, at) => (element.style.cssText = kept[at] ?? ""));
  return held.map(({ left, top }, at) => ({ x: left - (free[at]?.left ?? left), y: top - (free[at]?.top ?? top) }));
}

/** What sticks to the window is where it is by itself: the picture begins at the top of the view. */
function holdSticky(element: HTMLElement, target: HTMLElement, moved: { x: number; y: number } | undefined): void {
  const isInBox = findScrolled(element) !== undefined;
  const [x, y] = isInBox && moved ? [moved.x, moved.y] : [0, 0];
  setStyle(target, { position: "relative", inset: `${y}px auto auto ${x}px` });
}

function findScrolled(element: HTMLElement): HTMLElement | undefined {
  for (let box = element.parentElement; box && box.tagName !== "MAIN"; box = box.parentElement)
    if (box.scrollTop !== 0 || box.scrollLeft !== 0) return box;
  return undefined;
}

/** A box that scrolls keeps its size, and shows what it shows now. */
function holdScrolled({ from, to, style }: Pair): void {
  if (!(from instanceof HTMLElement) || style.display === "inline") return;
  const { scrollTop, scrollLeft } = from;
  const scrolls = from.scrollHeight > from.clientHeight + 1 || from.scrollWidth > from.clientWidth + 1;
  if (!scrolls && scrollTop === 0 && scrollLeft === 0) return;
  if (/auto|scroll/.test(style.overflow))
    setStyle(to, {
      boxSizing: "border-box",
      width: `${from.offsetWidth}px`,
      height: `${from.offsetHeight}px`,
      maxHeight: "none",
      overflow: "hidden",
    });
  if (scrollTop === 0 && scrollLeft === 0) return;
  for (const child of to.children) setStyle(child as HTMLElement, { translate: `${-scrollLeft}px ${-scrollTop}px` });
}

/** What is typed and chosen is no part of the markup. */
function writeValue({ from, to }: Pair): void {
  if (from instanceof HTMLInputElement) {
    if (from.type === "password") to.setAttribute("value", "•".repeat(from.value.length && 8));
    else if (from.type !== "file") to.setAttribute("value", from.value);
    to.toggleAttribute("checked", from.checked);
  } else if (from instanceof HTMLTextAreaElement) to.textContent = from.value;
  else if (from instanceof HTMLOptionElement) to.toggleAttribute("selected", from.selected);
  else if (from instanceof HTMLCanvasElement && from.width > 0) {
    const image = document.createElement("img");
    image.src = from.toDataURL();
    image.className = from.className;
    setStyle(image, { width: `${from.offsetWidth}px`, height: `${from.offsetHeight}px` });
    to.replaceWith(image);
  }
}

/** By the object model: the policy of content refuses style attributes. */
function setStyle(element: HTMLElement, style: Partial<CSSStyleDeclaration>): void {
  Object.assign(element.style, style);
}
