/** The API tokens of all accounts. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { allTokensQuery, choosePart, PAGE, type TokenRow } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post } from "../../api/client";
import { Answer } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { PageButtons } from "../../components/PageButtons";
import { SearchField } from "../../components/SearchField";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { useMay } from "../../state/account";
import { t } from "../../state/language";

const route = getRouteApi("/tokens");

export function TokensPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <h1>{t("API tokens")}</h1>
      <p>
        <Link to="/account" search={{}}>
          {t("Create a token of your own account")}
        </Link>
      </p>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField
          label={t("Search")}
          value={filters.search}
          onChange={(search) => void navigate({ to: "/tokens", search: { search }, replace: true })}
        />
      </form>
      <Answer query={useQuery(allTokensQuery())} what={t("the tokens")}>
        {(found) => {
          const { shown, total } = choosePart(
            found,
            filters,
            (one) => `${one.name} ${one.token} ${one.account} ${one.role} ${one.state}`,
          );
          return total === 0 ? (
            <p>{t("There are no API tokens.")}</p>
          ) : (
            <>
              <StackTable
                label={t("API tokens")}
                headings={[
                  t("Used by"),
                  t("Account"),
                  t("Role at most"),
                  t("State"),
                  t("Expires"),
                  t("Last used"),
                  t("Actions"),
                ]}
              >
                {shown.map((one) => (
                  <Row key={one.token} one={one} />
                ))}
              </StackTable>
              <PageButtons
                page={filters.page ?? 1}
                size={PAGE}
                total={total}
                go={(page) => void navigate({ to: "/tokens", search: { ...filters, page } })}
              />
            </>
          );
        }}
      </Answer>
    </>
  );
}

function Row({ one }: { one: TokenRow }) {
  const act = useAct("tokens", "audit");
  const mayRevoke = useMay("edit account");
  return (
    <tr className={one.state === "valid" ? undefined : "off"}>
      <td>
        <b className="name">{one.name}</b>
        <span className="soft block">{one.token}</span>
      </td>
      <td>
        <span className="name">{one.account}</span>
      </td>
      <td>{one.role}</td>
      <td>{one.state}</td>
      <td>{one.expires_at ? <Time at={one.expires_at} /> : t("never")}</td>
      <td>
        <Time at={one.used_at} />
      </td>
      <td>
        {one.state === "valid" && mayRevoke && (
          <ConfirmButton
            label={t("Revoke")}
            name={t("Revoke token {name}", { name: one.name })}
            confirm={t("Revoke the token")}
            question={
              <p>
                {t("Revoke the token {name} of {account}? Requests with it are refused from now on.", {
                  name: one.name,
                  account: one.account,
                })}
              </p>
            }
            act={() =>
              act.mutateAsync(() => post("/api/gnomon/v1/operations/tokens.revoke", { body: { token: one.token } }))
            }
          />
        )}
      </td>
    </tr>
  );
}
