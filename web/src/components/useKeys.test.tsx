// @vitest-environment happy-dom

import { fireEvent, render } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { useKeys } from "./useKeys";

const act = vi.fn();

function View({ isModal }: { isModal: boolean }) {
  useKeys({ n: act });
  return isModal && <div data-modal="">A question</div>;
}

test("keys of a view act, and not while a dialog stands in front of it", () => {
  const { rerender, unmount } = render(<View isModal={false} />);
  fireEvent.keyDown(document.body, { key: "n" });
  expect(act).toHaveBeenCalledTimes(1);
  rerender(<View isModal />);
  fireEvent.keyDown(document.body, { key: "n" });
  expect(act).toHaveBeenCalledTimes(1);
  unmount();
});
