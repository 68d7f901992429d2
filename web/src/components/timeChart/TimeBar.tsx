/** A bar on the track of a row, with what waits before it, and how much later it may end. */

import { percentOf, type Span } from "./timeSpan";
import styles from "./timeChart.module.css";

export type BarKind = "predicted" | "running" | "slow" | "failed" | "wait" | "late";

export interface Piece {
  from: number;
  to: number;
  kind: BarKind;
}

export function TimeBar({ span, piece }: { span: Span; piece: Piece }) {
  const left = percentOf(span, piece.from);
  return (
    <span
      className={`${styles.piece} ${styles[piece.kind]}`}
      style={{ left: `${left}%`, width: `${percentOf(span, piece.to) - left}%` }}
    />
  );
}

export function TimePoint({ span, at }: { span: Span; at: number }) {
  return <span className={styles.point} style={{ left: `${percentOf(span, at)}%` }} />;
}

/** What the signs of a chart mean. */
export function ChartLegend({ signs }: { signs: readonly (readonly [BarKind | "point", string])[] }) {
  return (
    <ul className={`legend ${styles.legend}`}>
      {signs.map(([kind, words]) => (
        <li key={kind}>
          <span
            className={`${kind === "point" ? styles.point : `${styles.piece} ${styles[kind]}`} ${styles.swatch}`}
            aria-hidden="true"
          />{" "}
          {words}
        </li>
      ))}
    </ul>
  );
}
