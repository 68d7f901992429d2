/** A label with its control, a hint and what is wrong with the value. */

import { type ReactNode, useId } from "react";
import styles from "./field.module.css";

interface Props {
  label: string;
  hint?: ReactNode;
  fault?: string;
  /** The label stands before the control, in one line: for toolbars. */
  isInline?: boolean;
  /** Gets the id of the control and what describes it. */
  children: (control: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean | undefined;
  }) => ReactNode;
}

export function Field({ label, hint, fault, isInline, children }: Props) {
  const id = useId();
  return (
    <div className={isInline ? styles.inline : styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": hint || fault ? `${id}-about` : undefined,
        "aria-invalid": fault ? true : undefined,
      })}
      {(hint || fault) && (
        <p id={`${id}-about`} className={fault ? "fault" : "hint"}>
          {fault ?? hint}
        </p>
      )}
    </div>
  );
}

/** A choice of few values. An empty value: nothing is chosen. */
export function SelectField({
  label,
  value,
  options,
  onChange,
  isInline,
}: {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  isInline?: boolean;
}) {
  return (
    <Field label={label} isInline={isInline}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
