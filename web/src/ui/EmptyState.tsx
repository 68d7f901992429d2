/** The one way to say that there is nothing here: what would be here, and the first act. */

import type { ReactNode } from "react";
import type { Icon } from "./icons";
import styles from "./emptyState.module.css";

interface Props {
  icon?: Icon;
  title: ReactNode;
  /** How something comes here. */
  children?: ReactNode;
  acts?: ReactNode;
  /** Within a pane or a card: without the room around it. */
  isSmall?: boolean;
}

export function EmptyState({ icon: Sign, title, children, acts, isSmall }: Props) {
  return (
    <div className={isSmall ? `${styles.empty} ${styles.small}` : styles.empty}>
      {Sign && !isSmall && <Sign size={28} strokeWidth={1.5} aria-hidden="true" />}
      <p className={styles.title}>{title}</p>
      {children && <div className={styles.text}>{children}</div>}
      {acts && <div className={styles.acts}>{acts}</div>}
    </div>
  );
}
