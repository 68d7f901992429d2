/** How the levels of baselines are called and coloured, the worst first. */

import type { BaselineLevel } from "../../api/baselines";
import { formatPercent } from "../../state/numbers";
import type { PillTone } from "../../ui/Pill";

export const LEVELS: Record<BaselineLevel, { words: string; tone: PillTone & ("good" | "warn" | "bad") }> = {
  broken: { words: /* text */ "broken", tone: "bad" },
  certain_breach: { words: /* text */ "will break", tone: "bad" },
  at_risk: { words: /* text */ "at risk", tone: "warn" },
  safe: { words: /* text */ "safe", tone: "good" },
  met: { words: /* text */ "met", tone: "good" },
};

const ORDER = Object.keys(LEVELS) as BaselineLevel[];

interface Standing {
  level: BaselineLevel | null;
  due_at: string | null;
}

/** The worst level first, within it the next due time; what is done and what has no prediction last. */
export function compareUrgency(one: Standing, other: Standing): number {
  const rank = ({ level }: Standing) => (level === null ? ORDER.length : ORDER.indexOf(level));
  return rank(one) - rank(other) || (one.due_at ?? "").localeCompare(other.due_at ?? "");
}

/** `34%`; a share that is neither none nor all is never rounded to them. */
export function formatShare(share: number): string {
  const percent = Math.round(100 * share);
  if (share > 0 && percent === 0) return `< ${formatPercent(0.01)}`;
  if (share < 1 && percent === 100) return `> ${formatPercent(0.99)}`;
  return formatPercent(share);
}
