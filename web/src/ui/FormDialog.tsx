/** A form in front of the view. It stays open while the server refuses what was entered, and says why. */

import { type ReactNode, useId } from "react";
import { Refusal } from "../components/Answer";
import { t } from "../state/language";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import styles from "./formDialog.module.css";

interface Props {
  title: string;
  /** What the button says that sends the form. */
  submit: string;
  close: () => void;
  send: () => void;
  isBusy: boolean;
  error?: Error | null;
  disabled?: boolean;
  /** Why nothing can be sent. */
  why?: string;
  /** Other acts, before the button that sends the form. */
  acts?: ReactNode;
  isWide?: boolean;
  children: ReactNode;
}

export function FormDialog({
  title,
  submit,
  close,
  send,
  isBusy,
  error,
  disabled,
  why,
  acts,
  isWide,
  children,
}: Props) {
  const id = useId();
  return (
    <Dialog
      title={title}
      open
      close={close}
      isWide={isWide}
      isForm
      acts={
        <>
          {acts}
          <Button onClick={close}>{t("Cancel")}</Button>
          <Button look="primary" type="submit" form={id} isBusy={isBusy} disabled={disabled} why={why}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={id}
        aria-label={title}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && !disabled) send();
        }}
      >
        {children}
        {error && <Refusal error={error} />}
      </form>
    </Dialog>
  );
}

/** Fields beside each other, where there is room. */
export function FieldPair({ children }: { children: ReactNode }) {
  return <div className={styles.pair}>{children}</div>;
}
