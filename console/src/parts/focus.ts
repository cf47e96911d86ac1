import { focusHeading } from "./page.js";

/** The elements that take over the focus of an element in them. */
const PARTS = "form, section, dialog";

/**
 * Keeps the focus on the page. Buttons that cannot be used for the moment have `aria-disabled`, which keeps their focus, and their clicks are
 * ignored. When the focused element is removed, the part of the page that it belonged to is focused.
 */
export function keepFocus(): void {
  const ignore = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || !event.target.closest("[aria-disabled=true]")) return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", ignore, { capture: true });
  let path: readonly EventTarget[] = [];
  addEventListener("focusin", (event) => {
    path = event.composedPath();
  });
  const restore = () => {
    const [focused] = path;
    if (document.activeElement !== document.body || !(focused instanceof Node) || focused.isConnected) return;
    const part = path.find(
      (each) => each instanceof HTMLElement && each.isConnected && each.matches(PARTS) && !each.hidden,
    );
    path = [];
    if (!(part instanceof HTMLElement)) return focusHeading();
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
  };
  new MutationObserver(restore).observe(document, { childList: true, subtree: true });
}

/** Focuses what follows a row that is about to be removed. @param row an element whose siblings are other rows or controls */
export function focusNext(row: Element | null | undefined): void {
  const next = row?.nextElementSibling;
  const controls = "input, select, button";
  const control = next?.matches(controls) ? next : next?.querySelector(controls);
  if (control instanceof HTMLElement) control.focus();
  else if (next) focusNext(next);
}
