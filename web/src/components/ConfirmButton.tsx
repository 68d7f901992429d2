/** A button for an act that loses something: it asks first, and names what is lost. Escape and a click on "Keep it" change nothing. */

import { type ReactNode, useRef, useState } from "react";
import { t } from "../state/language";
import { Refusal } from "./Answer";
import styles from "./confirm.module.css";

interface Props {
  label: string;
  /** The name of the button for screen readers, where its label stands in many lines. */
  name?: string;
  question: ReactNode;
  confirm: string;
  disabled?: boolean;
  why?: string;
  act: () => Promise<unknown>;
}

export function ConfirmButton({ label, name, question, confirm, disabled, why, act }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    setError(undefined);
    act()
      .then(
        () => dialog.current?.close(),
        (refused: Error) => setError(refused),
      )
      .finally(() => setBusy(false));
  };
  return (
    <>
      <button
        type="button"
        aria-label={name}
        disabled={disabled}
        title={disabled ? why : undefined}
        onClick={() => {
          setError(undefined);
          dialog.current?.showModal();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} className={styles.dialog} aria-label={name ?? label}>
        <div>{question}</div>
        {error && <Refusal error={error} />}
        <div className="acts">
          <button type="button" className={styles.danger} disabled={isBusy} onClick={run}>
            {confirm}
          </button>
          <button type="button" autoFocus onClick={() => dialog.current?.close()}>
            {t("Keep it")}
          </button>
        </div>
      </dialog>
    </>
  );
}
