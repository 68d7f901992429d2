/** The accounts: create, role, grants on DAGs, password, sessions, delete. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { accountsQuery, choosePart, PAGE } from "../../api/administration";
import { Act } from "../../components/Act";
import { Answer } from "../../components/Answer";
import { PageSteps } from "../../components/PageSteps";
import { ShownOnce } from "../../components/ShownOnce";
import { StackTable } from "../../components/StackTable";
import { t, tn } from "../../state/language";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { PlusIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { SearchBox } from "../../ui/SearchBox";
import { NewUserForm } from "./NewUserForm";
import { UserRow } from "./UserRow";

const route = getRouteApi("/users");

export function UsersPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const [secret, setSecret] = useState<{ label: string; secret: string }>();
  const show = (name: string, password: string) =>
    setSecret({ label: t("Password of {name}:", { name }), secret: password });
  const list = useQuery(accountsQuery());
  return (
    <>
      <PageHeader
        title={t("Users")}
        facts={list.data && <span role="status">{tn("{count} user", "{count} users", list.data.length)}</span>}
        acts={
          <Act needs="create account">
            <Button look="primary" icon={PlusIcon} onClick={() => setNew(true)}>
              {t("New user")}
            </Button>
            {isNew && <NewUserForm done={() => setNew(false)} show={show} />}
          </Act>
        }
      />
      <Toolbar label={t("Controls")}>
        <SearchBox
          label={t("Search")}
          value={filters.search}
          onChange={(search) => void navigate({ to: "/users", search: { search }, replace: true })}
        />
      </Toolbar>
      {secret && <ShownOnce {...secret} done={() => setSecret(undefined)} />}
      <Answer query={list} what={t("the users")}>
        {(answer) => {
          const { shown: users, total } = choosePart(
            answer,
            filters,
            (one) => `${one.name} ${one.role} ${one.grants.join(" ")}`,
          );
          return total === 0 ? (
            <EmptyState title={t("No user fits the search.")} />
          ) : (
            <>
              <StackTable
                label={t("Users")}
                headings={[t("Name"), t("Role"), t("Grants"), t("Password"), t("Since"), t("Actions")]}
              >
                {users.map((one) => (
                  <UserRow key={one.name} one={one} show={show} />
                ))}
              </StackTable>
              <PageSteps
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
