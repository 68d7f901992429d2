/** One's own account: what it may do, its password, its API tokens, and the browsers that are logged in. */

import { useQuery } from "@tanstack/react-query";
import { type Me, meQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { SessionList } from "../../components/SessionList";
import { t } from "../../state/language";
import { Card } from "../../ui/Card";
import { PageHeader } from "../../ui/PageHeader";
import { Pill } from "../../ui/Pill";
import { OwnTokens } from "./OwnTokens";
import { PasswordForm } from "./PasswordForm";
import styles from "./account.module.css";

export function AccountPage() {
  const query = useQuery(meQuery());
  return (
    <>
      <PageHeader
        title={t("My account")}
        state={query.data && <Pill>{query.data.role}</Pill>}
        facts={query.data && <span className="name">{query.data.account}</span>}
      />
      <Answer query={query} what={t("the account")}>
        {(me) =>
          me.has_accounts ? (
            <div className={styles.parts}>
              <Card title={t("Account")}>
                <dl>
                  <dt>{t("Name")}</dt>
                  <dd className="name">{me.account}</dd>
                  <dt>{t("Role")}</dt>
                  <dd>{me.role}</dd>
                  <Grants me={me} />
                </dl>
              </Card>
              <Card title={t("Password")}>
                {me.has_password ? (
                  <PasswordForm name={me.account} />
                ) : (
                  <p>{t("The account has no password. An administrator can give it one.")}</p>
                )}
              </Card>
              <OwnTokens role={me.role} />
              <Card title={t("Sessions")}>
                <SessionList />
              </Card>
            </div>
          ) : (
            <p className="notice">
              {t("There are no accounts: [api] auth is none, so everybody on this machine may do everything.")}
            </p>
          )
        }
      </Answer>
    </>
  );
}

function Grants({ me }: { me: Me }) {
  if (me.grants.length === 0) return null;
  return (
    <>
      <dt>{t("Grants")}</dt>
      <dd>
        {me.grants.map((one) => (
          <span key={`${one.kind} ${one.pattern}`} className="block">
            {t("{role} on DAGs by {kind} {pattern}", { role: one.role, kind: one.kind, pattern: one.pattern })}
          </span>
        ))}
      </dd>
    </>
  );
}
