/** Buttons, and links that look like them. One look for each weight of an act: primary (one a view), plain, quiet (in lines and toolbars), danger (it loses something). */

import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import type { Icon } from "./icons";
import styles from "./button.module.css";

export type ButtonLook = "primary" | "plain" | "quiet" | "danger";

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled"> {
  look?: ButtonLook;
  isSmall?: boolean;
  icon?: Icon;
  /** The act runs: the button shows it and takes no click. */
  isBusy?: boolean;
  disabled?: boolean;
  /** Why it is disabled, said to the pointer and to screen readers: the button stays in the order of the keys. */
  why?: string;
  ref?: Ref<HTMLButtonElement>;
  /** What the tour calls it. */
  "data-tour"?: string;
}

/** The class of a link that looks like a button. */
export function buttonClass(look: ButtonLook = "plain", isSmall = false): string {
  return [styles.button, styles[look], isSmall && styles.small].filter(Boolean).join(" ");
}

export function Button({
  look = "plain",
  isSmall,
  icon: Sign,
  isBusy,
  disabled,
  why,
  children,
  className,
  onClick,
  autoFocus,
  ...rest
}: ButtonProps) {
  const isOff = disabled || isBusy;
  return (
    <button
      type="button"
      {...rest}
      autoFocus={autoFocus}
      data-autofocus={autoFocus || undefined} // a dialog looks for it in the document, where React leaves no sign of autoFocus
      className={`${buttonClass(look, isSmall)} ${children ? "" : styles.iconOnly} ${className ?? ""}`}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      title={isOff && why ? why : rest.title}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
    >
      {Sign && <Sign size={16} strokeWidth={1.75} aria-hidden="true" />}
      {children}
    </button>
  );
}

/** A button that shows an icon alone. Its name is read by screen readers and shown by the pointer. */
export function IconButton({
  label,
  ...rest
}: Omit<ButtonProps, "children" | "aria-label"> & { label: string; icon: Icon }) {
  return <Button look="quiet" aria-label={label} title={label} {...rest} />;
}

/** Buttons beside each other, of which one is chosen. */
export function Segments<T extends string>({
  label,
  value,
  options,
  choose,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: ReactNode; title?: string }[];
  choose: (value: T) => void;
}) {
  return (
    <div className={styles.segments} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          title={option.title}
          aria-pressed={option.value === value}
          onClick={() => choose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
