/** A table that scrolls in its own box; on a narrow window each row is a card, with the headings before its cells. */

import type { CSSProperties, ReactNode } from "react";
import styles from "./stack.module.css";

interface Props {
  /** What the table shows, for screen readers. */
  label: string;
  headings: string[];
  className?: string;
  /** The rows. */
  children: ReactNode;
}

export function StackTable({ label, headings, className = "", children }: Props) {
  const names = Object.fromEntries(headings.map((heading, at) => [`--heading-${at + 1}`, JSON.stringify(heading)]));
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table className={`${styles.table} ${className}`} style={names as CSSProperties}>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading}>{heading}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
