import { useEffectEvent, useLayoutEffect } from "react";
import { submit } from "./parts/form.js";

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * Focuses the page's search field with `/`, moves through the rows of a list with the arrow keys (Enter opens one), and opens the
 * command palette with Ctrl+K or ⌘K. Ctrl+S and ⌘S submit the form that has the focus, or the page's.
 */
export function useShortcuts(openPalette: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) openPalette();
      return;
    }
    if (event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) {
      const form = document.activeElement?.closest("form") ?? document.querySelector("main form");
      if (submit(form)) event.preventDefault();
      return;
    }
    if (event.key in STEPS) {
      if (moveToRow(STEPS[event.key] ?? 0)) event.preventDefault();
      return;
    }
    const isTyping =
      event.target instanceof HTMLElement &&
      event.target.matches("input, textarea, select, [contenteditable=true]");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const search = document.querySelector<HTMLElement>("main input[type=search]");
    if (!search) return;
    event.preventDefault();
    search.focus();
  });
  // Before the page is shown: a key that is pressed at once is not lost.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** Moves the focus from the search field or a row's link to that of another row. @returns false if the focus is elsewhere */
function moveToRow(step: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>("main tbody th a")];
  const { activeElement: active } = document;
  const row = links.findIndex((link) => link.matches(":focus"));
  const isSearch = active?.matches("main input[type=search]") === true;
  if (row === -1 && !isSearch) return false;
  const next = row + step;
  if (next >= 0) links[next]?.focus();
  else document.querySelector<HTMLElement>("main input[type=search]")?.focus();
  return true;
}
