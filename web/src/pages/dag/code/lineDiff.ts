/** The difference of two texts by lines: the shortest way from one to the other, as long as it is not too long to find. */

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
  /** Its number in the text before, and after; undefined where it is in only one of them. */
  before?: number;
  after?: number;
}

/** So many changed lines are searched for; texts with more differ from the first to the last changed line. */
const CHANGES_MAX = 2_000;

export function diffLines(before: string[], after: string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  const middle = diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const lines: DiffLine[] = [];
  let at = 0;
  let to = 0;
  const same = () => {
    lines.push({ kind: "same", text: before[at] as string, before: at + 1, after: to + 1 });
    at += 1;
    to += 1;
  };
  for (let count = 0; count < head; count += 1) same();
  for (const kind of middle) {
    if (kind === "same") same();
    else if (kind === "removed") {
      lines.push({ kind, text: before[at] as string, before: at + 1 });
      at += 1;
    } else {
      lines.push({ kind, text: after[to] as string, after: to + 1 });
      to += 1;
    }
  }
  for (let count = 0; count < tail; count += 1) same();
  return lines;
}

/** Myers' algorithm: the furthest place on each diagonal for each number of changes, and the way back. */
function diffMiddle(before: string[], after: string[]): DiffLine["kind"][] {
  const most = Math.min(before.length + after.length, CHANGES_MAX);
  const trace: Int32Array[] = [];
  const furthest = new Int32Array(2 * most + 3);
  const middle = most + 1;
  for (let changes = 0; changes <= most; changes += 1) {
    trace.push(furthest.slice(middle - changes - 1, middle + changes + 2));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const isDown =
        diagonal === -changes ||
        (diagonal !== changes &&
          (furthest[middle + diagonal - 1] as number) < (furthest[middle + diagonal + 1] as number));
      let x = isDown ? (furthest[middle + diagonal + 1] as number) : (furthest[middle + diagonal - 1] as number) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      furthest[middle + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before.length, after.length);
    }
  }
  return [...before.map(() => "removed" as const), ...after.map(() => "added" as const)];
}

function walkBack(trace: Int32Array[], width: number, height: number): DiffLine["kind"][] {
  const kinds: DiffLine["kind"][] = [];
  let x = width;
  let y = height;
  for (let changes = trace.length - 1; changes >= 0; changes -= 1) {
    const furthest = trace[changes] as Int32Array;
    const at = (diagonal: number) => furthest[changes + 1 + diagonal] as number;
    const diagonal = x - y;
    const isDown = diagonal === -changes || (diagonal !== changes && at(diagonal - 1) < at(diagonal + 1));
    const from = isDown ? diagonal + 1 : diagonal - 1;
    const startX = changes === 0 ? 0 : at(from);
    const startY = startX - from;
    while (
      x > Math.max(0, startX) &&
      y > Math.max(0, changes === 0 ? 0 : startY) &&
      x - y === diagonal &&
      (x > startX + (isDown ? 0 : 1) || y > startY + (isDown ? 1 : 0))
    ) {
      kinds.push("same");
      x -= 1;
      y -= 1;
    }
    if (changes > 0) {
      kinds.push(isDown ? "added" : "removed");
      x = startX;
      y = startY;
    }
  }
  return kinds.reverse();
}

/** The lines with unchanged ones that are further than `around` from a change left out; a number stands for so many of them. */
export function foldSame(lines: DiffLine[], around: number): (DiffLine | number)[] {
  const isNear = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, at) => {
    if (line.kind !== "same")
      for (let near = Math.max(0, at - around); near <= Math.min(lines.length - 1, at + around); near += 1)
        isNear[near] = true;
  });
  const found: (DiffLine | number)[] = [];
  lines.forEach((line, at) => {
    if (isNear[at]) found.push(line);
    else if (typeof found.at(-1) === "number") found[found.length - 1] = (found.at(-1) as number) + 1;
    else found.push(1);
  });
  return found;
}
