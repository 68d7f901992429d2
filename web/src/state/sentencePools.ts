/** The pools that a sentence of the server names as the reason of a wait. */

export interface PoolPart {
  text: string;
  /** The name of the pool, if this part is one. */
  pool?: string;
}

const POOL = /(?<=\bpool )[^\s:;,]+(?= (?:is full\b|has \d+;))/g;

/** The parts of a text in their order. */
export function splitPools(text: string): PoolPart[] {
  const parts: PoolPart[] = [];
  let end = 0;
  for (const found of text.matchAll(POOL)) {
    if (found.index > end) parts.push({ text: text.slice(end, found.index) });
    parts.push({ text: found[0], pool: found[0] });
    end = found.index + found[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}
