/** A part of a view with its heading, its acts and what it says. */

import type { ReactNode } from "react";
import styles from "./card.module.css";

interface Props {
  title: ReactNode;
  acts?: ReactNode;
  /** For links to it. */
  id?: string;
  children: ReactNode;
}

export function Card({ title, acts, id, children }: Props) {
  return (
    <section id={id} className={styles.card} aria-label={typeof title === "string" ? title : undefined}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {acts}
      </header>
      {children}
    </section>
  );
}
