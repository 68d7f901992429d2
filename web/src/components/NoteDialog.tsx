/** The note of a run or a task instance, and the dialog to change it. */

import { useState } from "react";
import { type NotePlace, saveNote, useRunChange } from "../api/runs";
import { t } from "../state/language";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { NoteIcon } from "../ui/icons";
import { MenuItem } from "../ui/Menu";
import { Act } from "./Act";
import { Refusal } from "./Answer";
import { LongText } from "./LongText";
import styles from "./note.module.css";

const NOTE_MAX = 1000;

export function Note({ note }: { note: string | null }) {
  return (
    note && (
      <p className={styles.note}>
        <NoteIcon size={16} aria-hidden="true" />
        <span className={styles.text}>
          <LongText text={note} />
        </span>
      </p>
    )
  );
}

/** The item of a menu that opens the dialog. */
export function NoteItem({ place, note, open }: { place: NotePlace; note: string | null; open: () => void }) {
  return (
    <Act dagId={place.dagId}>
      <MenuItem icon={NoteIcon} onSelect={open}>
        {note ? t("Change the note") : t("Add a note")}
      </MenuItem>
    </Act>
  );
}

export function NoteDialog({ place, note, close }: { place: NotePlace; note: string | null; close: () => void }) {
  const [draft, setDraft] = useState(note ?? "");
  const save = useRunChange<string>(place.dagId, (text) => saveNote(place, text));
  return (
    <Dialog
      title={t("Note")}
      open
      close={close}
      acts={
        <>
          <Button onClick={close}>{t("Cancel")}</Button>
          <Button look="primary" isBusy={save.isPending} onClick={() => save.mutate(draft, { onSuccess: close })}>
            {t("Save")}
          </Button>
        </>
      }
    >
      <textarea
        aria-label={t("Note")}
        rows={4}
        maxLength={NOTE_MAX}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      {save.isError && <Refusal error={save.error} />}
    </Dialog>
  );
}
