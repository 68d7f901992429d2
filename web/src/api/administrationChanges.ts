/** Changes of the pages of work and administration: each makes stale what it touches. */

import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";

/** Make changes; after each that succeeds, the queries whose keys begin with one of `stale` are read again. Who waits for the change does not wait for them. */
export function useAct<T = unknown>(...stale: string[]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (make: () => Promise<T>) => make(),
    onSuccess: () => {
      for (const key of stale) void readAgain(client, key);
    },
  });
}

/** The first read of a query would be reused if it were under way, and its answer may be older than the change: it is given up. */
async function readAgain(client: QueryClient, key: string): Promise<void> {
  await client.cancelQueries({ queryKey: [key] });
  await client.invalidateQueries({ queryKey: [key] });
}
