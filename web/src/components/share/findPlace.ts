/** Where one is in the view that is shown, and the way back there. */

import { type BoxPlace, readGraphPlace, readPlace, type ViewPlace, writePlace } from "./place";

const ROWS = "tr, li, [role=row], [role=listitem], [data-row]";
const LOG = "[role=log]";
/** How long a view may take until its boxes are there, and how long a list is searched for a row. */
const WAIT_MS = 10_000;
const WINDOWS_MAX = 200;
/** The place is held for so many frames: what is drawn later moves the rows. */
const FRAMES = 20;
const NEAR_PX = 1;

/** The address of this view at this place. */
export function composeLink(): string {
  const link = new URL(window.location.href);
  const line = findLogLine();
  if (line !== undefined && !link.searchParams.has("line")) link.searchParams.set("line", String(line));
  link.hash = writePlace(listPlaces(), findViewPlace());
  return link.href;
}

/** What is in view of a graph, and which rows are chosen. */
function findViewPlace(): ViewPlace {
  const graph = document.querySelector<HTMLElement>("[data-graph-place]")?.dataset.graphPlace;
  const rows = document.querySelectorAll<HTMLElement>("main [aria-selected=true][data-chosen-row]");
  return {
    graph: graph === undefined ? undefined : readGraphPlace(`graph=${encodeURIComponent(graph)}`),
    chosen: [...rows].flatMap((row) => row.dataset.chosenRow ?? []),
  };
}

/** The first line of a log that stands neither at its begin nor at its end, where it opens anyway. */
function findLogLine(): number | undefined {
  const log = document.querySelector<HTMLElement>(LOG);
  if (!log || log.scrollTop <= NEAR_PX || log.scrollTop >= log.scrollHeight - log.clientHeight - NEAR_PX)
    return undefined;
  const top = log.getBoundingClientRect().top;
  const lines = [...log.querySelectorAll<HTMLElement>("[data-line]")];
  const first = lines.find((line) => line.getBoundingClientRect().top >= top - NEAR_PX);
  const number = Number(first?.dataset.line);
  return number > 0 ? number : undefined;
}

function listPlaces(): BoxPlace[] {
  const places: BoxPlace[] = [];
  if (window.scrollY > 0) places.push({ box: "", x: 0, y: window.scrollY, ...findRow(document.documentElement) });
  for (const box of document.querySelectorAll<HTMLElement>("main *, [data-sheet] *")) {
    if (box.scrollTop === 0 && box.scrollLeft === 0) continue;
    const name = box.classList[0];
    if (name === undefined || box.closest(LOG)) continue;
    places.push({ box: name, x: box.scrollLeft, y: box.scrollTop, ...findRow(box) });
  }
  return places;
}

/** The first row that is seen whole: what lies below a head that sticks is not. The order in the document is another where elements are used again. */
function findRow(box: HTMLElement): Pick<BoxPlace, "row" | "below"> {
  const top = topOf(box);
  const rows = [...box.querySelectorAll<HTMLElement>(ROWS)]
    .map((row) => ({ row, place: row.getBoundingClientRect() }))
    .filter(({ place }) => place.height > 0 && place.top >= top && place.top < window.innerHeight)
    .toSorted((one, other) => one.place.top - other.place.top);
  for (const { row, place } of rows) {
    const left = Math.max(place.left, box.getBoundingClientRect().left);
    const seen = document.elementFromPoint(left + 8, place.top + place.height / 2);
    const name = nameRow(row);
    if (name !== "" && seen && row.contains(seen) && !sticks(row, box)) return { row: name, below: place.top - top };
  }
  return {};
}

/** The heads of a list stand still. */
function sticks(row: HTMLElement, box: HTMLElement): boolean {
  for (let one: HTMLElement | null = row; one && one !== box; one = one.parentElement)
    if (getComputedStyle(one).position === "sticky") return true;
  return false;
}

/** What the row is about: where its first link leads, or the words of its first cell. */
function nameRow(row: HTMLElement): string {
  const link = row.querySelector("a[href]")?.getAttribute("href");
  return link ?? (row.querySelector("[role=rowheader], th, td") ?? row).textContent?.trim().slice(0, 200) ?? "";
}

function topOf(box: HTMLElement): number {
  return box === document.documentElement ? 0 : box.getBoundingClientRect().top;
}

/** Go to the place of the address, when the view is there. Until the end, or until somebody moves. */
export async function openPlace(hash: string, signal: AbortSignal): Promise<void> {
  await Promise.all(readPlace(hash).map((place) => openBox(place, signal)));
}

async function openBox(place: BoxPlace, signal: AbortSignal): Promise<void> {
  const end = performance.now() + WAIT_MS;
  let box = findBox(place);
  while (!box || !reaches(box, place)) {
    await nextFrame(signal);
    box = findBox(place);
    if (performance.now() > end) break;
  }
  if (!box) return;
  box.scrollTo(place.x, place.y);
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await nextFrame(signal);
    if (place.row === undefined) continue;
    const row = await seekRow(box, place, signal, frame === FRAMES - 1);
    if (row) align(box, row, place);
  }
}

/** A list of which only the rows in view are in the document is looked through when the row is not where it was. */
async function seekRow(
  box: HTMLElement,
  place: BoxPlace,
  signal: AbortSignal,
  isLast: boolean,
): Promise<HTMLElement | undefined> {
  const near = findNamed(box, place);
  if (near || !isLast) return near;
  for (let window = 0; window < WINDOWS_MAX; window += 1) {
    const top = window * box.clientHeight;
    if (top > box.scrollHeight) break;
    box.scrollTo(place.x, top);
    await nextFrame(signal);
    await nextFrame(signal);
    const row = findNamed(box, place);
    if (row) return row;
  }
  box.scrollTo(place.x, place.y);
  return undefined;
}

function align(box: HTMLElement, row: HTMLElement, { below }: BoxPlace): void {
  const moved = row.getBoundingClientRect().top - topOf(box) - (below ?? 0);
  if (Math.abs(moved) > NEAR_PX) box.scrollBy(0, moved);
}

function findBox({ box }: BoxPlace): HTMLElement | undefined {
  if (box === "") return document.querySelector("main h1") ? document.documentElement : undefined;
  return [...document.querySelectorAll<HTMLElement>("main *, [data-sheet] *")].find((one) => one.classList[0] === box);
}

function reaches(box: HTMLElement, { x, y }: BoxPlace): boolean {
  const down = box.scrollHeight - box.clientHeight;
  return down >= y - NEAR_PX && box.scrollWidth - box.clientWidth >= x - NEAR_PX;
}

/** Of several rows with this name the one next to where it stood. */
function findNamed(box: HTMLElement, { row: name, below = 0 }: BoxPlace): HTMLElement | undefined {
  const wanted = topOf(box) + below;
  const far = (row: HTMLElement) => Math.abs(row.getBoundingClientRect().top - wanted);
  return [...box.querySelectorAll<HTMLElement>(ROWS)]
    .filter((row) => nameRow(row) === name)
    .toSorted((one, other) => far(one) - far(other))[0];
}

function nextFrame(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) =>
    requestAnimationFrame(() => (signal.aborted ? reject(new DOMException("moved", "AbortError")) : resolve())),
  );
}
