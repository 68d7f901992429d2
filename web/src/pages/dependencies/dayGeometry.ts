/** Where the slots of a day are drawn: a time axis of one or several days, and marks that fold to bands where slots are dense. */

import type { DayModel, DaySlot, Lane, Wait } from "./dayModel";

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The least distance of two marks of a lane, in px; below it the lane folds to bands. */
const MARK_GAP = 11;
/** The least width of a band, so that its count can be read. */
const BAND_MIN = 26;
const BANDS = [10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];
/** The share of the width that each other day gets, of which slots are waited for. */
const OTHER_DAY_SHARE = 0.14;
const OTHER_DAYS_MAX = 4;

/** A part of the axis: the natural day, or a part of a day before or after it. */
export interface Segment {
  start: number;
  end: number;
  x: number;
  width: number;
  isDay: boolean;
}

export interface Mark {
  key: string;
  lane: number;
  x: number;
  /** 0 for a mark of one slot. */
  width: number;
  slots: DaySlot[];
}

export interface Link {
  from: Mark;
  to: Mark;
  rule: string;
  count: number;
}

export interface DayDrawing {
  segments: Segment[];
  marks: Mark[];
  links: Link[];
  /** Slots outside of the axis, because they are too far away. */
  hidden: number;
}

/** `start` and `end`: the natural day, in ms. `edge`: room on both sides, so that the mark of an instant at the edge is seen whole. */
export function drawDay(model: DayModel, start: number, end: number, width: number, edge = 0): DayDrawing {
  const segments = layOutSegments(model, start, end, width - 2 * edge).map((one) => ({ ...one, x: one.x + edge }));
  const marks: Mark[] = [];
  const find = model.lanes.map((lane, number) => placeLane(lane, number, segments, marks));
  const shown = marks.reduce((sum, mark) => sum + mark.slots.length, 0);
  const total = model.lanes.reduce((sum, lane) => sum + lane.slots.length, 0);
  return { segments, marks, links: joinMarks(model.waits, find), hidden: total - shown };
}

/** The days that have slots which are waited for, each a part of the axis; the natural day has most of it. */
function layOutSegments(model: DayModel, start: number, end: number, width: number): Segment[] {
  const length = end - start;
  const others = new Set<number>();
  for (const wait of model.waits) {
    const away =
      wait.toAt < start ? -Math.ceil((start - wait.toAt) / length) : Math.floor((wait.toAt - start) / length);
    if (away !== 0) others.add(away);
  }
  const days = [0, ...[...others].sort((one, other) => Math.abs(one) - Math.abs(other)).slice(0, OTHER_DAYS_MAX)].sort(
    (one, other) => one - other,
  );
  const otherWidth = width * Math.min(OTHER_DAY_SHARE, 0.5 / Math.max(1, days.length - 1));
  const dayWidth = width - otherWidth * (days.length - 1);
  let x = 0;
  return days.map((away) => {
    const segment = {
      start: start + away * length,
      end: end + away * length,
      x,
      width: away === 0 ? dayWidth : otherWidth,
      isDay: away === 0,
    };
    x += segment.width;
    return segment;
  });
}

/** The marks of a lane, one for each slot, or one for each band of a part of the axis where slots are dense; returns the mark of a slot. */
function placeLane(lane: Lane, number: number, segments: Segment[], marks: Mark[]): (at: number) => Mark | undefined {
  const bySlot = new Map<number, Mark>();
  for (const segment of segments) {
    const slots = lane.slots.filter((one) => one.at >= segment.start && one.at < segment.end);
    const scale = segment.width / (segment.end - segment.start);
    for (const group of groupSlots(slots, segment.start, scale)) {
      const first = segment.x + (group.start - segment.start) * scale;
      const mark = {
        key: `${number} ${group.start}`,
        lane: number,
        x: first,
        width: group.length * scale,
        slots: group.slots,
      };
      marks.push(mark);
      for (const slot of group.slots) bySlot.set(slot.at, mark);
    }
  }
  return (at) => bySlot.get(at);
}

interface SlotGroup {
  start: number;
  length: number;
  slots: DaySlot[];
}

/** Slots alone where each has its place; else those of equal spans of time. `scale`: px for each ms. */
export function groupSlots(slots: DaySlot[], start: number, scale: number): SlotGroup[] {
  const isDense = slots.some((slot, at) => at > 0 && (slot.at - (slots[at - 1] as DaySlot).at) * scale < MARK_GAP);
  if (!isDense) return slots.map((slot) => ({ start: slot.at, length: 0, slots: [slot] }));
  const length = BANDS.find((one) => one * scale >= BAND_MIN) ?? (BANDS[BANDS.length - 1] as number);
  const groups = new Map<number, SlotGroup>();
  for (const slot of slots) {
    const from = start + Math.floor((slot.at - start) / length) * length;
    const group = groups.get(from) ?? { start: from, length, slots: [] };
    group.slots.push(slot);
    groups.set(from, group);
  }
  return [...groups.values()];
}

/** One line for each pair of marks and rule, with the number of waits that it stands for. */
function joinMarks(waits: Wait[], find: ((at: number) => Mark | undefined)[]): Link[] {
  const links = new Map<string, Link>();
  for (const wait of waits) {
    const from = find[wait.from]?.(wait.fromAt);
    const to = find[wait.to]?.(wait.toAt);
    if (!from || !to) continue;
    const key = `${from.key}|${to.key}|${wait.rule}`;
    const link = links.get(key);
    if (link) link.count += 1;
    else links.set(key, { from, to, rule: wait.rule, count: 1 });
  }
  return [...links.values()];
}

const URGENT = ["failed", "upstream_failed", "running", "queued", "due", "none", "planned", "success"];

/** The numbers of slots by state, the most urgent state first. */
export function countStates(slots: DaySlot[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const slot of slots) counts.set(slot.state, (counts.get(slot.state) ?? 0) + 1);
  const rank = (state: string) => (URGENT.includes(state) ? URGENT.indexOf(state) : URGENT.length);
  return [...counts].sort(([one], [other]) => rank(one) - rank(other));
}

/** What a mark waits for, directly, and what waits for it. */
export function findNeighbours(links: Link[], key: string): { waitsFor: Link[]; waitedBy: Link[] } {
  return { waitsFor: links.filter((one) => one.from.key === key), waitedBy: links.filter((one) => one.to.key === key) };
}

/** The ticks of the natural day, every `step` hours of local time. */
export function listTicks(
  segment: Segment,
  step: number,
  hourOf: (at: number) => number,
): { at: number; hour: number }[] {
  const ticks = [];
  for (let at = segment.start; at < segment.end; at += HOUR) {
    const hour = hourOf(at);
    if (hour % step === 0) ticks.push({ at, hour });
  }
  return ticks;
}

/** Links that are drawn as one line, which fans out near its many ends. */
export interface Bundle {
  key: string;
  /** The mark that all of them have in common. */
  root: Mark;
  /** The other ends, each with its link. */
  ends: { mark: Mark; link: Link }[];
}

/** So many links between a mark and the marks of another lane are one line. */
const BUNDLE_MIN = 3;

/** Links of one mark to many marks of a lane are bundled, first those that a mark waits for, then those that wait for it; the others stay alone. */
export function bundleLinks(links: readonly Link[]): { bundles: Bundle[]; alone: Link[] } {
  const across = links.filter((one) => one.from.lane !== one.to.lane);
  const [waiting, others] = group(across, (one) => ({ root: one.from, mark: one.to, link: one }));
  const [waited, alone] = group(others, (one) => ({ root: one.to, mark: one.from, link: one }));
  return {
    bundles: [...waiting, ...waited],
    alone: [...links.filter((one) => one.from.lane === one.to.lane), ...alone],
  };
}

function group(
  links: readonly Link[],
  split: (link: Link) => { root: Mark; mark: Mark; link: Link },
): [Bundle[], Link[]] {
  const bundles = new Map<string, Bundle>();
  for (const one of links) {
    const { root, mark, link } = split(one);
    const key = `${root.key}|${mark.lane}|${link.rule}`;
    const bundle = bundles.get(key) ?? { key, root, ends: [] };
    bundle.ends.push({ mark, link });
    bundles.set(key, bundle);
  }
  const all = [...bundles.values()];
  return [
    all.filter((one) => one.ends.length >= BUNDLE_MIN),
    all.filter((one) => one.ends.length < BUNDLE_MIN).flatMap((one) => one.ends.map((end) => end.link)),
  ];
}
