/** Tabs: views beside each other, each with its address, or parts of a pane without one. They scroll to the side where they do not fit. */

import type { ReactNode } from "react";
import styles from "./tabs.module.css";

/** `children`: links; the router marks the present one with the class `active`. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={styles.tabs} data-tabs="" aria-label={label}>
      {children}
    </nav>
  );
}

export function TabButtons<T extends string>({
  label,
  value,
  options,
  choose,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: ReactNode }[];
  choose: (value: T) => void;
}) {
  return (
    <div className={styles.tabs} data-tabs="" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => choose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
