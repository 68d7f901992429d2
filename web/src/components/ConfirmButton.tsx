/** A button for an act that loses something: it asks first, and names what is lost. Escape and "Keep it" change nothing. */

import { type ReactNode, useState } from "react";
import { t } from "../state/language";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Refusal } from "./Answer";

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
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    setError(undefined);
    act()
      .then(
        () => setOpen(false),
        (refused: Error) => setError(refused),
      )
      .finally(() => setBusy(false));
  };
  return (
    <>
      <Button
        isSmall
        aria-label={name}
        disabled={disabled}
        why={why}
        onClick={() => {
          setError(undefined);
          setOpen(true);
        }}
      >
        {label}
      </Button>
      <Dialog
        title={name ?? label}
        open={isOpen}
        close={() => setOpen(false)}
        acts={
          <>
            <Button autoFocus onClick={() => setOpen(false)}>
              {t("Keep it")}
            </Button>
            <Button look="danger" isBusy={isBusy} onClick={run}>
              {confirm}
            </Button>
          </>
        }
      >
        {question}
        {error && <Refusal error={error} />}
      </Dialog>
    </>
  );
}
