/** One's own account: what it may do, its password, its API tokens, and the browsers that are logged in. */

import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { SessionList } from "../../components/SessionList";
import { t } from "../../state/language";
import { OwnTokens } from "./OwnTokens";
import { PasswordForm } from "./PasswordForm";

export function AccountPage() {
  return (
    <>
      <h1>{t("My account")}</h1>
      <Answer query={useQuery(meQuery())} what={t("the account")}>
        {(me) => (
          <>
            <dl>
              <dt>{t("Name")}</dt>
              <dd className="name">{me.account}</dd>
              <dt>{t("Role")}</dt>
              <dd>{me.role}</dd>
              {me.grants.length > 0 && (
                <>
                  <dt>{t("Grants")}</dt>
                  <dd>
                    {me.grants.map((one) => (
                      <span key={`${one.kind} ${one.pattern}`} className="block">
                        {t("{role} on DAGs by {kind} {pattern}", {
                          role: one.role,
                          kind: one.kind,
                          pattern: one.pattern,
                        })}
                      </span>
                    ))}
                  </dd>
                </>
              )}
            </dl>
            {!me.has_accounts ? (
              <p className="notice">
                {t("There are no accounts: [api] auth is none, so everybody on this machine may do everything.")}
              </p>
            ) : (
              <>
                <h2>{t("Password")}</h2>
                {me.has_password ? (
                  <PasswordForm name={me.account} />
                ) : (
                  <p>{t("The account has no password. An administrator can give it one.")}</p>
                )}
                <h2>{t("API tokens")}</h2>
                <OwnTokens role={me.role} />
                <h2>{t("Sessions")}</h2>
                <SessionList />
              </>
            )}
          </>
        )}
      </Answer>
    </>
  );
}
