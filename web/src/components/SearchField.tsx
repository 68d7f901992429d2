/** A field that searches while one types: the address follows a moment after the last key. */

import { SearchIcon } from "../ui/icons";
import { TypedField } from "./TypedField";
import styles from "./search.module.css";

export interface SearchFieldProps {
  label: string;
  value: string | undefined;
  /** Undefined: the field is empty. */
  onChange: (text: string | undefined) => void;
  placeholder?: string;
  type?: "search" | "number";
  /** For the line of controls of a list: the label is for screen readers, the placeholder and a sign say it to the eye. */
  isBare?: boolean;
}

export function SearchField({ label, value, onChange, placeholder, type = "search", isBare }: SearchFieldProps) {
  return (
    <TypedField
      className={isBare ? styles.bare : undefined}
      label={
        isBare ? (
          <>
            <SearchIcon size={14} aria-hidden="true" className={styles.sign} />
            <span className="unseen">{label}</span>
          </>
        ) : (
          label
        )
      }
      type={type}
      min={type === "number" ? 0 : undefined}
      value={value ?? ""}
      placeholder={placeholder}
      onTyped={(text) => onChange(text || undefined)}
    />
  );
}
