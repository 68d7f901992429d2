/** A value that may be long: its beginning, and all of it on demand, so that no text breaks the layout. */

import { useCut } from "./LongText";
import styles from "./value.module.css";

interface Props {
  text: string;
  /** In letters of one width. */
  isCode?: boolean;
  label?: string;
  /** Within a line, and not a block of its own. */
  isInline?: boolean;
}

export function Value({ text, isCode = true, label = "", isInline }: Props) {
  const { shown, button } = useCut(text);
  const Tag = isCode ? "code" : "span";
  return (
    <span className={isInline ? styles.inline : styles.value}>
      {label && <span className="soft">{label} </span>}
      <Tag>{shown}</Tag>
      {button}
    </span>
  );
}
