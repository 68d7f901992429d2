/** What was just done, with a button that undoes it. */

import { useState } from "react";
import { t } from "../state/language";
import { Refusal } from "./Answer";

export interface Done {
  text: string;
  undo: () => Promise<unknown>;
}

export function UndoLine({ done, close }: { done: Done; close: () => void }) {
  const [error, setError] = useState<Error>();
  return (
    <div className="preview acts">
      <span role="status" className="name">
        {done.text}
      </span>
      <button
        type="button"
        onClick={() => {
          setError(undefined);
          done.undo().then(close, setError);
        }}
      >
        {t("Undo")}
      </button>
      <button type="button" onClick={close}>
        {t("Close")}
      </button>
      {error && <Refusal error={error} />}
    </div>
  );
}
