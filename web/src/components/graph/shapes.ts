/** The size of each node of a picture: that of its name and of what can stand below it, whatever its state is. */

import type { Direction, GraphRequest } from "./layout";
import type { PictureGraph, PictureNode } from "./picture";
import { fitText, type FittedText, LINE_PX, measureText } from "./texts";

/** The mark of the state is before the name, and a button behind it for a group. */
export const TEXT_LEFT = 36;
const PADDING_PX = 14;
const BUTTON_PX = 28;
const NOTE_PX = 17;
const ROOM_PX = 15;
/** Room for "upstream failed · 12 min 30 s" and the like. */
const NOTE_WIDTH = 132;
const COUNTS_WIDTH = 168;
const CHAR_PX = 6.6;

const fitted = new Map<string, FittedText>();

export function fitName(name: string): FittedText {
  const known = fitted.get(name) ?? fitText(name, measureText);
  fitted.set(name, known);
  return known;
}

export function describeGraph({ nodes, edges }: PictureGraph, direction: Direction, aspect: number): GraphRequest {
  return {
    nodes: nodes.map((node) => ({ ...findSize(node), parent: node.parent, isOpenGroup: node.kind === "open" })),
    edges: edges.map(({ ends }) => ends),
    kinds: edges.map(({ kind }) => kind),
    labels: edges.map(({ label }) => (label ? Math.ceil(shortenLabel(label).length * CHAR_PX) + 10 : 0)),
    direction,
    aspect,
  };
}

const LABEL_MAX = 40;

export function shortenLabel(label: string): string {
  return label.length > LABEL_MAX ? `${label.slice(0, LABEL_MAX - 1)}…` : label;
}

function findSize(node: PictureNode) {
  const { lines, width } = fitName(node.name);
  const isGroup = node.kind === "group" || node.kind === "open";
  const least = isGroup || node.sign !== undefined ? COUNTS_WIDTH : NOTE_WIDTH;
  return {
    width: TEXT_LEFT + Math.max(width, least) + PADDING_PX + (isGroup ? BUTTON_PX : 0),
    height: lines.length * LINE_PX + NOTE_PX + ROOM_PX,
  };
}
