/** Changes one's own password; the other sessions of the account end. */

import { type FormEvent, useState } from "react";
import { useAct } from "../../api/administrationChanges";
import { put } from "../../api/client";
import { Refusal } from "../../components/Answer";
import { t, tn } from "../../state/language";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import styles from "./account.module.css";

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
    <form className={styles.form} onSubmit={send} aria-label={t("Change the password")}>
      <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
      <Field label={t("Current password")}>
        {(control) => (
          <input
            {...control}
            required
            type="password"
            autoComplete="current-password"
            value={fields.current}
            onChange={set("current")}
          />
        )}
      </Field>
      <Field label={t("New password")} hint={t("At least eight characters")}>
        {(control) => (
          <input
            {...control}
            required
            minLength={8}
            type="password"
            autoComplete="new-password"
            value={fields.next}
            onChange={set("next")}
          />
        )}
      </Field>
      <Field label={t("New password again")} fault={differs ? t("The two new passwords differ.") : undefined}>
        {(control) => (
          <input
            {...control}
            required
            type="password"
            autoComplete="new-password"
            value={fields.again}
            onChange={set("again")}
          />
        )}
      </Field>
      {act.error && <Refusal error={act.error} />}
      {act.data && (
        <p className="good" role="status">
          {t("The password is changed.")}{" "}
          {tn("{count} other session has ended.", "{count} other sessions have ended.", act.data.ended_sessions)}
        </p>
      )}
      <Button look="primary" type="submit" isBusy={act.isPending} disabled={differs}>
        {t("Change the password")}
      </Button>
    </form>
  );
}
