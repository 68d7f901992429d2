/** Whether something stands in front of the view and takes all keys: a dialog of the browser (palette, keys), a `Dialog`, or a `Sheet` that covers the window. */
export function isModalOpen(): boolean {
  return document.querySelector("dialog[open], [data-modal]") !== null;
}
