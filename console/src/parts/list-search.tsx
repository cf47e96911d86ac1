import { type ReactNode, useContext, useEffect, useState } from "react";
import { NavigationContext } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useDebounced } from "./use-debounced.js";

interface ListSearchProps {
  readonly label: string;
  readonly placeholder: string;
  /** Returns whether a text must not get into the URL, which is in the browser's history. */
  readonly isSecret?: (text: string) => boolean;
  /** Shown beside the field, for the typed text. */
  readonly children?: (text: string) => ReactNode;
}

/** The search field of a list. It filters while typing; the text is in the URL (`q`), for bookmarks and the back button. */
export function ListSearch({ label, placeholder, isSecret, children }: ListSearchProps) {
  const { route, replace } = useContext(NavigationContext);
  const { path, query } = route;
  const { q = "" } = query;
  const [text, setText] = useState(q);
  const [shown, setShown] = useState(q);
  // Changed by the back button or a link.
  if (q !== shown) {
    setShown(q);
    setText(q);
  }
  const trimmed = text.trim();
  const settled = useDebounced(isSecret?.(trimmed) ? "" : trimmed);
  useEffect(() => {
    if (settled === q || settled !== trimmed) return;
    setShown(settled);
    replace(hashOf(path, { ...query, q: settled, after: null, before: null, from: null }));
  }, [settled, trimmed, q, path, query, replace]);
  return (
    <search className="search">
      <input
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {children?.(trimmed)}
    </search>
  );
}
