/** A value that may be long: its beginning, and all of it on demand, so that no text breaks the layout. */

import { useCut } from "./LongText";
import styles from "./value.module.css";

/** `isCode`: in letters of one width. */
export function Value({ text, isCode = true, label = "" }: { text: string; isCode?: boolean; label?: string }) {
  const { shown, button } = useCut(text);
  const Tag = isCode ? "code" : "span";
  return (
    <span className={styles.value}>
      {label && <span className="soft">{label} </span>}
      <Tag>{shown}</Tag>
      {button}
    </span>
  );
}
