/** Who uses the page, and what that account may do. */

import { type QueryClient, useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { dagRoleQuery, type Me, meQuery } from "../api/administration";

/** The account, read once for the whole page: a list asks for each of its rows and acts whether they may be done. */
export const AccountContext = createContext<Me | undefined>(undefined);

export function useMe(): Me | undefined {
  return useContext(AccountContext);
}

/** Whether the account may do this, `edit pool`; false until it is known. */
export function useMay(act: string): boolean {
  return useMe()?.may.includes(act) ?? false;
}

const READERS: readonly (string | undefined)[] = [undefined, "none", "viewer"];

/** Whether the account may change this DAG, its runs and its tasks: by its role on everything, or by a grant; false until it is known. */
export function useMayChange(dagId: string): boolean {
  const me = useMe();
  const mayEverywhere = mayChangeEverything(me);
  const role = useQuery({ ...dagRoleQuery(dagId), enabled: !mayEverywhere && (me?.grants.length ?? 0) > 0 }).data;
  return mayEverywhere || !READERS.includes(role);
}

/** Whether the role of the account is enough for every DAG, so that nobody has to ask for its role on one. */
export function mayChangeEverything(me: Me | undefined): boolean {
  return !READERS.includes(me?.role);
}

/** The same, outside of a component. */
export async function mayChange(client: QueryClient, dagId: string): Promise<boolean> {
  const me = await client.fetchQuery(meQuery());
  if (!READERS.includes(me.role)) return true;
  return me.grants.length > 0 && !READERS.includes(await client.fetchQuery(dagRoleQuery(dagId)));
}
