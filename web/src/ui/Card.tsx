/** A part of a view with its heading, its acts and what it says. */

import type { ReactNode } from "react";
import styles from "./card.module.css";

interface Props {
  title: ReactNode;
  acts?: ReactNode;
  children: ReactNode;
}

export function Card({ title, acts, children }: Props) {
  return (
    <section className={styles.card} aria-label={typeof title === "string" ? title : undefined}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {acts}
      </header>
      {children}
    </section>
  );
}
