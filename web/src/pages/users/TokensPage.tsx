/** The API tokens of all accounts. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { allTokensQuery, choosePart, PAGE, type TokenRow } from "../../api/administration";
import { useAct } from "../../api/administrationChanges";
import { post } from "../../api/client";
import { Act } from "../../components/Act";
import { Answer } from "../../components/Answer";
import { ConfirmButton } from "../../components/ConfirmButton";
import { PageSteps } from "../../components/PageSteps";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { TOKEN_STATES } from "./roles";
import { t } from "../../state/language";
import { buttonClass } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { Pill } from "../../ui/Pill";
import { SearchBox } from "../../ui/SearchBox";

const route = getRouteApi("/tokens");

export function TokensPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const create = (
    <Link to="/account" search={{}} className={buttonClass("primary")}>
      {t("Create a token of your own account")}
    </Link>
  );
  return (
    <>
      <PageHeader
        title={t("API tokens")}
        facts={<span>{t("Tokens of all accounts: programs use the API with them")}</span>}
        acts={create}
      />
      <Toolbar label={t("Controls")}>
        <SearchBox
          label={t("Search")}
          value={filters.search}
          onChange={(search) => void navigate({ to: "/tokens", search: { search }, replace: true })}
        />
      </Toolbar>
      <Answer query={useQuery(allTokensQuery())} what={t("the tokens")}>
        {(found) => {
          const { shown, total } = choosePart(
            found,
            filters,
            (one) => `${one.name} ${one.token} ${one.account} ${one.role} ${one.state}`,
          );
          return total === 0 ? (
            <EmptyState title={t("There are no API tokens.")}>
              {t("A program that uses the API needs one. It is created in the account that it acts for.")}
            </EmptyState>
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
              <PageSteps
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
      <td>
        <Pill tone={one.state === "valid" ? "good" : "neutral"}>{t(TOKEN_STATES[one.state] ?? one.state)}</Pill>
      </td>
      <td>{one.expires_at ? <Time at={one.expires_at} /> : t("never")}</td>
      <td>
        <Time at={one.used_at} />
      </td>
      <td>
        {one.state === "valid" && (
          <Act needs="edit account">
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
          </Act>
        )}
      </td>
    </tr>
  );
}
