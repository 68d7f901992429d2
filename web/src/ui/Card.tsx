/** A part of a view with its heading, its acts and what it says. */

import type { ReactNode } from "react";
import styles from "./card.module.css";

interface Props {
  title: ReactNode;
  /** The name of the part, where the title alone does not say it. */
  name?: string;
  acts?: ReactNode;
  children: ReactNode;
}

export function Card({ title, name, acts, children }: Props) {
  return (
    <section className={styles.card} aria-label={name ?? (typeof title === "string" ? title : undefined)}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {acts}
      </header>
      {children}
    </section>
  );
}

/** Cards beside each other, as many as there is room for. */
export function Cards({ children }: { children: ReactNode }) {
  return <div className={styles.cards}>{children}</div>;
}
