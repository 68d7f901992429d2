/** A switch for what is on or off at once, without a button that saves it. */

import styles from "./switch.module.css";

interface Props {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  /** The label stands beside the switch; else screen readers and the pointer alone have it. */
  showsLabel?: boolean;
}

export function Switch({ label, checked, onChange, disabled, showsLabel }: Props) {
  return (
    <label className={styles.label} title={showsLabel ? undefined : label}>
      <input
        type="checkbox"
        role="switch"
        className={styles.switch}
        checked={checked}
        disabled={disabled}
        aria-label={showsLabel ? undefined : label}
        onChange={(event) => onChange(event.target.checked)}
      />
      {showsLabel && label}
    </label>
  );
}
