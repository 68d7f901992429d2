/** Changes one's own password; the other sessions of the account end. */

import { type FormEvent, useState } from "react";
import { useAct } from "../../api/administrationChanges";
import { put } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t, tn } from "../../state/language";

const EMPTY = { current: "", next: "", again: "" };

export function PasswordForm({ name }: { name: string }) {
  const act = useAct<{ ended_sessions: number }>("sessions", "audit");
  const [fields, setFields] = useState(EMPTY);
  const set = (field: keyof typeof EMPTY) => (event: { target: { value: string } }) =>
    setFields({ ...fields, [field]: event.target.value });
  const differs = fields.again !== "" && fields.again !== fields.next;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (fields.again !== fields.next) return;
    void act
      .mutateAsync(() =>
        put("/auth/password", { body: { current_password: fields.current, new_password: fields.next } }),
      )
      .then(
        () => setFields(EMPTY),
        () => undefined,
      );
  };
  return (
    <form className="form" onSubmit={send} aria-label={t("Change the password")}>
      <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
      <label>
        {t("Current password")}{" "}
        <input
          required
          type="password"
          autoComplete="current-password"
          value={fields.current}
          onChange={set("current")}
        />
      </label>
      <label>
        {t("New password")}{" "}
        <input
          required
          minLength={8}
          type="password"
          autoComplete="new-password"
          value={fields.next}
          onChange={set("next")}
        />
      </label>
      <label>
        {t("New password again")}{" "}
        <input
          required
          type="password"
          autoComplete="new-password"
          value={fields.again}
          onChange={set("again")}
          aria-invalid={differs}
        />
      </label>
      {differs && (
        <p className="notice" role="alert">
          {t("The two new passwords differ.")}
        </p>
      )}
      {act.error && <Refusal error={act.error} />}
      {act.data && (
        <p className="good" role="status">
          {t("The password is changed.")}{" "}
          {tn("{count} other session has ended.", "{count} other sessions have ended.", act.data.ended_sessions)}
        </p>
      )}
      <div className="acts">
        <button disabled={act.isPending || differs}>{t("Change the password")}</button>
      </div>
    </form>
  );
}
