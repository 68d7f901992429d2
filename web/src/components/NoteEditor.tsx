/** The note of a run or a task instance, and the form to change it. */

import { Act } from "./Act";
import { useState } from "react";
import { type NotePlace, saveNote, useRunChange } from "../api/runs";
import { t } from "../state/language";
import { Refusal } from "./Answer";
import { LongText } from "./LongText";
import styles from "./note.module.css";

const NOTE_MAX = 1000;

export function NoteEditor({ place, note }: { place: NotePlace; note: string | null }) {
  const [draft, setDraft] = useState<string>();
  const save = useRunChange<string>(place.dagId, (text) => saveNote(place, text));
  if (draft === undefined) {
    return (
      <div className={styles.form}>
        {note && (
          <p className={styles.text}>
            <LongText text={note} />
          </p>
        )}
        <Act dagId={place.dagId}>
          <button type="button" onClick={() => setDraft(note ?? "")}>
            {note ? t("Change the note") : t("Add a note")}
          </button>
        </Act>
      </div>
    );
  }
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft, { onSuccess: () => setDraft(undefined) });
      }}
    >
      <label>
        {t("Note")}
        <textarea rows={3} maxLength={NOTE_MAX} value={draft} onChange={(event) => setDraft(event.target.value)} />
      </label>
      {save.isError && <Refusal error={save.error} />}
      <button disabled={save.isPending}>{t("Save")}</button>{" "}
      <button type="button" onClick={() => setDraft(undefined)}>
        {t("Cancel")}
      </button>
    </form>
  );
}
