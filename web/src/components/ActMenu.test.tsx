// @vitest-environment happy-dom

import { act, fireEvent, screen } from "@testing-library/react";
import { useEffect, useState } from "react";
import { expect, test } from "vitest";
import type { Me } from "../api/administration";
import { AccountContext } from "../state/account";
import { renderInPage } from "../testing/renderInPage";
import { MenuItem } from "../ui/Menu";
import { ActMenu } from "./ActMenu";

const EDITOR: Me = { account: "ann", role: "editor", grants: [], has_accounts: true, has_password: true, may: [] };
let know: (me: Me) => void;

function Task() {
  const [me, setMe] = useState<Me>();
  useEffect(() => {
    know = setMe;
  }, []);
  return (
    <AccountContext value={me}>
      <ActMenu
        target={{ dagId: "sales", runId: "one" }}
        choices={[{ act: "clear", label: "Clear (run again)", scope: {} }]}
        scopes={[]}
      >
        <MenuItem>Copy the address</MenuItem>
      </ActMenu>
    </AccountContext>
  );
}

test("a menu that was opened before the rights of the account are known stays open, and gets its acts", async () => {
  await renderInPage(() => <Task />);
  fireEvent.click(screen.getByRole("button", { name: "More acts" }));
  expect(await screen.findByRole("menuitem", { name: "Copy the address" })).toBeDefined();
  expect(screen.queryByRole("menuitem", { name: /Clear/ })).toBeNull();
  act(() => {
    know(EDITOR);
  });
  expect(await screen.findByRole("menuitem", { name: /Clear/ })).toBeDefined();
  expect(screen.getByRole("menuitem", { name: "Copy the address" })).toBeDefined();
});
