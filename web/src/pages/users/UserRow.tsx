/** An account in the table of users, with what an administrator does to it. */

import { useState } from "react";
import type { Account } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post } from "../../api/client";
import { Act } from "../../components/Act";
import { Refusal } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { SessionList } from "../../components/SessionList";
import { Time } from "../../components/Time";
import { useMe } from "../../state/account";
import { t } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { Sheet } from "../../ui/Sheet";
import { GrantForm } from "./GrantForm";
import { type Grant, makePassword, parseGrant, ROLES } from "./roles";
import styles from "./users.module.css";

export function UserRow({ one, show }: { one: Account; show: (name: string, secret: string) => void }) {
  const act = useAct("accounts", "audit");
  const [opened, setOpened] = useState<"grants" | "sessions">();
  const isMe = useMe()?.account === one.name;
  const { name } = one;
  const close = () => setOpened(undefined);
  const reset = async () => {
    const password = makePassword();
    await act.mutateAsync(() =>
      post("/api/gnomon/v1/operations/accounts.reset_password", { body: { name, password } }),
    );
    show(name, password);
  };
  const give = async (role: string) => {
    await act.mutateAsync(() => post("/api/gnomon/v1/operations/accounts.set_role", { body: { name, role } }));
  };
  const setRole = (role: string) =>
    void give(role).then(
      () =>
        showToast(t("{name} has the role {role} now.", { name, role }), () => give(one.role), false, `role ${name}`),
      () => undefined,
    );
  const restore = async (grant: Grant) => {
    await act.mutateAsync(() => post("/api/gnomon/v1/operations/accounts.grant", { body: { name, ...grant } }));
  };
  const revoke = (grant: Grant) =>
    act
      .mutateAsync(() =>
        post("/api/gnomon/v1/operations/accounts.revoke", { body: { name, kind: grant.kind, pattern: grant.pattern } }),
      )
      .then(() => showToast(t("The grant is removed."), () => restore(grant)));
  return (
    <tr aria-label={t("User {name}", { name })}>
      <td>
        <b className="name">{name}</b> {isMe && <span className="soft">{t("(you)")}</span>}
        {act.error && <Refusal error={act.error} />}
      </td>
      <td>
        <Act needs="edit account" otherwise={one.role}>
          <select
            aria-label={t("Role of {name}", { name })}
            value={one.role}
            disabled={act.isPending}
            onChange={(event) => setRole(event.target.value)}
          >
            {ROLES.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
        </Act>
      </td>
      <td>
        {one.grants.length > 0 && (
          <ul className={styles.grants} aria-label={t("Grants of {name}", { name })}>
            {one.grants.map((text) => (
              <GrantLine key={text} text={text} revoke={revoke} />
            ))}
          </ul>
        )}
        <Act needs="edit account">
          <Button isSmall look="quiet" onClick={() => setOpened("grants")}>
            {t("Add a grant")}
          </Button>
          {opened === "grants" && <GrantForm name={name} done={close} />}
        </Act>
      </td>
      <td>{one.has_password ? t("with a password") : t("without a password")}</td>
      <td>
        <Time at={one.created_at} />
      </td>
      <td>
        <div className={styles.acts}>
          <Button isSmall onClick={() => setOpened("sessions")}>
            {t("Sessions")}
          </Button>
          <Act needs="edit account">
            <ConfirmButton
              label={t("Reset the password")}
              name={t("Reset the password of {name}", { name })}
              confirm={t("Reset it")}
              act={reset}
              question={
                <p>
                  {t(
                    "Give {name} a new random password? It is shown once, and all sessions of the account end. Its API tokens stay.",
                    { name },
                  )}
                </p>
              }
            />
            <ConfirmButton
              label={t("Delete")}
              name={t("Delete user {name}", { name })}
              confirm={t("Delete the user")}
              disabled={isMe}
              why={t("Another administrator can delete your account.")}
              question={<p>{t("Delete the user {name} with all sessions and API tokens?", { name })}</p>}
              act={() => act.mutateAsync(() => post("/api/gnomon/v1/operations/accounts.delete", { body: { name } }))}
            />
          </Act>
        </div>
        <Sheet title={t("Sessions of {name}", { name })} open={opened === "sessions"} close={close}>
          {opened === "sessions" && <SessionList account={name} />}
        </Sheet>
      </td>
    </tr>
  );
}

function GrantLine({ text, revoke }: { text: string; revoke: (grant: Grant) => Promise<unknown> }) {
  const grant = parseGrant(text);
  if (!grant) return <li className="name">{text}</li>;
  return (
    <li>
      <span>
        <b>{grant.role}</b> {grant.kind === "tag" ? t("on DAGs with the tag") : t("on DAGs with the id")}{" "}
        <code className="name">{grant.pattern}</code>
      </span>
      <Act needs="edit account">
        <ConfirmButton
          label={t("Remove")}
          name={t("Remove the grant on {pattern}", { pattern: grant.pattern })}
          confirm={t("Remove the grant")}
          question={<p>{t("Remove the grant {text}?", { text })}</p>}
          act={() => revoke(grant)}
        />
      </Act>
    </li>
  );
}
