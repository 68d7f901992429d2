/** A field that searches while one types: the address follows a moment after the last key. */

import { TypedField } from "./TypedField";

export interface SearchFieldProps {
  label: string;
  value: string | undefined;
  /** Undefined: the field is empty. */
  onChange: (text: string | undefined) => void;
  placeholder?: string;
  type?: "search" | "number";
}

export function SearchField({ label, value, onChange, placeholder, type = "search" }: SearchFieldProps) {
  return (
    <TypedField
      label={label}
      type={type}
      min={type === "number" ? 0 : undefined}
      value={value ?? ""}
      placeholder={placeholder}
      onTyped={(text) => onChange(text || undefined)}
    />
  );
}
