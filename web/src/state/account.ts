/** Who uses the page, and what that account may do. */

import { useQuery } from "@tanstack/react-query";
import { type Me, meQuery } from "../api/administration";

export function useMe(): Me | undefined {
  return useQuery(meQuery()).data;
}

/** Whether the account may do this, `edit pool`; false until it is known. */
export function useMay(act: string): boolean {
  return useMe()?.may.includes(act) ?? false;
}
