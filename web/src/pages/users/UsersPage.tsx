/** The accounts: create, role, grants on DAGs, password, sessions, delete. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Account, accountsQuery, choosePart, PAGE } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post } from "../../api/client";
import { Answer, Refusal } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { PageButtons } from "../../components/PageButtons";
import { SearchField } from "../../components/SearchField";
import { SessionList } from "../../components/SessionList";
import { ShownOnce } from "../../components/ShownOnce";
import { Time } from "../../components/Time";
import { type Done, UndoLine } from "../../components/UndoLine";
import { useMe } from "../../state/account";
import { t, tn } from "../../state/language";
import { NewUserForm } from "./NewUserForm";
import { GrantForm } from "./GrantForm";
import { type Grant, makePassword, parseGrant, ROLES } from "./roles";

const route = getRouteApi("/users");

export function UsersPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const [shown, setShown] = useState<{ label: string; secret: string }>();
  const show = (name: string, secret: string) => setShown({ label: t("Password of {name}:", { name }), secret });
  return (
    <>
      <h1>{t("Users")}</h1>
      <p className="soft">
        {t(
          "A role includes the ones before it: viewer reads; user triggers, clears, marks and pauses; operator changes connections, Variables and pools; admin changes accounts.",
        )}
      </p>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField
          label={t("Search")}
          value={filters.search}
          onChange={(search) => void navigate({ to: "/users", search: { search }, replace: true })}
        />
        <button type="button" aria-expanded={isNew} onClick={() => setNew(!isNew)}>
          {t("New user")}
        </button>
      </form>
      {isNew && <NewUserForm done={() => setNew(false)} show={show} />}
      {shown && <ShownOnce {...shown} done={() => setShown(undefined)} />}
      <Answer query={useQuery(accountsQuery())} what={t("the users")}>
        {(found) => {
          const { shown: users, total } = choosePart(
            found,
            filters,
            (one) => `${one.name} ${one.role} ${one.grants.join(" ")}`,
          );
          return (
            <>
              <p className="soft" role="status">
                {tn("{count} user", "{count} users", total)}
              </p>
              {users.map((one) => (
                <UserSection key={one.name} one={one} show={show} />
              ))}
              <PageButtons
                page={filters.page ?? 1}
                size={PAGE}
                total={total}
                go={(page) => void navigate({ to: "/users", search: { ...filters, page } })}
              />
            </>
          );
        }}
      </Answer>
    </>
  );
}

function UserSection({ one, show }: { one: Account; show: (name: string, secret: string) => void }) {
  const act = useAct("accounts", "audit");
  const [open, setOpen] = useState<"grants" | "sessions">();
  const [done, setDone] = useState<Done>();
  const isMe = useMe()?.account === one.name;
  const { name } = one;
  const reset = async () => {
    const password = makePassword();
    await act.mutateAsync(() =>
      post("/api/gnomon/v1/operations/accounts.reset_password", { body: { name, password } }),
    );
    show(one.name, password);
  };
  const setRole = (role: string) => {
    const give = (given: string) =>
      act.mutateAsync(() => post("/api/gnomon/v1/operations/accounts.set_role", { body: { name, role: given } }));
    const undo = () => give(one.role);
    void give(role).then(
      () => setDone({ text: t("{name} has the role {role} now.", { name: one.name, role }), undo }),
      () => undefined,
    );
  };
  const revoke = (grant: Grant) =>
    act
      .mutateAsync(() =>
        post("/api/gnomon/v1/operations/accounts.revoke", { body: { name, kind: grant.kind, pattern: grant.pattern } }),
      )
      .then(() => setDone({ text: t("The grant is removed."), undo: () => restore(grant) }));
  const restore = (grant: Grant) =>
    act.mutateAsync(() => post("/api/gnomon/v1/operations/accounts.grant", { body: { name, ...grant } }));
  return (
    <section className="form" aria-label={t("User {name}", { name: one.name })}>
      <h2>
        <span className="name">{one.name}</span> {isMe && <span className="soft">{t("(you)")}</span>}
      </h2>
      <div className="acts">
        <label>
          {t("Role")}{" "}
          <select value={one.role} disabled={act.isPending} onChange={(event) => setRole(event.target.value)}>
            {ROLES.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
        </label>
        <span className="soft">
          {one.has_password ? t("with a password") : t("without a password")} · {t("since")}{" "}
          <Time at={one.created_at} />
        </span>
      </div>
      {act.error && <Refusal error={act.error} />}
      {done && <UndoLine done={done} close={() => setDone(undefined)} />}
      {one.grants.length > 0 && (
        <ul className="lines" aria-label={t("Grants of {name}", { name: one.name })}>
          {one.grants.map((text) => (
            <GrantLine key={text} text={text} revoke={revoke} />
          ))}
        </ul>
      )}
      <div className="acts">
        <button
          type="button"
          aria-expanded={open === "grants"}
          onClick={() => setOpen(open === "grants" ? undefined : "grants")}
        >
          {t("Add a grant")}
        </button>
        <button
          type="button"
          aria-expanded={open === "sessions"}
          onClick={() => setOpen(open === "sessions" ? undefined : "sessions")}
        >
          {t("Sessions")}
        </button>
        <ConfirmButton
          label={t("Reset the password")}
          name={t("Reset the password of {name}", { name: one.name })}
          confirm={t("Reset it")}
          act={reset}
          question={
            <p>
              {t(
                "Give {name} a new random password? It is shown once, and all sessions of the account end. Its API tokens stay.",
                { name: one.name },
              )}
            </p>
          }
        />
        <ConfirmButton
          label={t("Delete")}
          name={t("Delete user {name}", { name: one.name })}
          confirm={t("Delete the user")}
          disabled={isMe}
          why={t("Another administrator can delete your account.")}
          question={<p>{t("Delete the user {name} with all sessions and API tokens?", { name: one.name })}</p>}
          act={() => act.mutateAsync(() => post("/api/gnomon/v1/operations/accounts.delete", { body: { name } }))}
        />
      </div>
      {open === "grants" && <GrantForm name={one.name} done={() => setOpen(undefined)} />}
      {open === "sessions" && <SessionList account={one.name} />}
    </section>
  );
}

function GrantLine({ text, revoke }: { text: string; revoke: (grant: Grant) => Promise<unknown> }) {
  const grant = parseGrant(text);
  if (!grant) return <li className="name">{text}</li>;
  return (
    <li>
      <b>{grant.role}</b> {grant.kind === "tag" ? t("on DAGs with the tag") : t("on DAGs with the id")}{" "}
      <code className="name">{grant.pattern}</code>{" "}
      <ConfirmButton
        label={t("Remove")}
        name={t("Remove the grant on {pattern}", { pattern: grant.pattern })}
        confirm={t("Remove the grant")}
        question={<p>{t("Remove the grant {text}?", { text })}</p>}
        act={() => revoke(grant)}
      />
    </li>
  );
}
