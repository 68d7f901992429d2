/** Which differences between two runs are worth a word. */

/** Shorter changes are noise, and so are smaller parts. */
const SECONDS_MIN = 5;
const SHARE_MIN = 0.25;

/** Whether a run took so much longer or shorter, in seconds, that it is worth telling. */
export function isNotable(before: number | null | undefined, after: number | null | undefined): boolean {
  if (before === null || before === undefined || after === null || after === undefined) return false;
  const change = Math.abs(after - before);
  return change >= SECONDS_MIN && change >= SHARE_MIN * before;
}
