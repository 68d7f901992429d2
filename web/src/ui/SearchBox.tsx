/** The search field of a list, in its toolbar: it tells its text a moment after the last key. `/` leads to it. */

import { useTyped } from "../components/TypedField";
import { SearchIcon } from "./icons";
import styles from "./searchBox.module.css";

interface Props {
  label: string;
  value: string | undefined;
  /** Undefined: the field is empty. */
  onChange: (text: string | undefined) => void;
  placeholder?: string;
}

export function SearchBox({ label, value, onChange, placeholder = label }: Props) {
  const [typed, setTyped] = useTyped(value ?? "", (text) => onChange(text || undefined));
  return (
    <span className={styles.box}>
      <SearchIcon size={16} strokeWidth={1.75} aria-hidden="true" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </span>
  );
}
