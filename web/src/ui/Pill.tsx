/** A short word with a colour: a state, a count, a tag; and a facet of a list. */

import type { ReactNode } from "react";
import { StateDot } from "../components/StateDot";
import { formatCount } from "../state/numbers";
import styles from "./pill.module.css";

export type PillTone = "neutral" | "accent" | "good" | "bad" | "warn";

export function Pill({ tone = "neutral", children }: { tone?: PillTone; children: ReactNode }) {
  return <span className={`${styles.pill} ${styles[tone]}`}>{children}</span>;
}

/** A state, or another group of a list, with its count: chosen or not. */
export function Facet({
  label,
  count,
  isChosen,
  toggle,
  state,
}: {
  label: string;
  count?: number;
  isChosen: boolean;
  toggle: () => void;
  state?: string;
}) {
  return (
    <button type="button" className={styles.facet} aria-pressed={isChosen} onClick={toggle}>
      {state && <StateDot state={state} />}
      {label}
      {count !== undefined && <span className={styles.count}>{formatCount(count)}</span>}
    </button>
  );
}
