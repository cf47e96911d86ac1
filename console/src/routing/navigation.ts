import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { hashOf, parseHash, type Route } from "./route.js";

interface Navigation {
  readonly route: Route;
  /** Changes the URL without a new entry in the history. */
  readonly replace: (hash: string) => void;
  /** Markers of pages with unsaved changes. */
  readonly unsaved: Set<object>;
  /** An action that would lose unsaved changes and waits for the user's decision. */
  readonly pending: (() => void) | null;
  /** Runs an action that leaves the page, after asking if there are unsaved changes. */
  readonly leave: (action: () => void) => void;
  /** Discards the unsaved changes and runs the pending action, or keeps both. */
  readonly decide: (shouldLeave: boolean) => void;
}

export const NavigationContext = createContext<Navigation>({
  route: { path: [], query: {} },
  replace: () => undefined,
  unsaved: new Set(),
  pending: null,
  leave: (action) => action(),
  decide: () => undefined,
});

/** Tracks the URL hash, and asks before leaving unsaved changes. */
export function useNavigation(): Navigation {
  const [hash, setHash] = useState(location.hash);
  const [pending, setPending] = useState<(() => void) | null>(null);
  const shown = useRef(hash);
  const { current: unsaved } = useRef(new Set<object>());
  const replace = useCallback((next: string) => {
    history.replaceState(null, "", next);
    shown.current = next;
    setHash(next);
  }, []);
  const leave = useCallback(
    (action: () => void) => {
      if (unsaved.size === 0) action();
      else setPending(() => action);
    },
    [unsaved],
  );
  useEffect(() => {
    const follow = () => {
      const { hash: next } = location;
      if (next === shown.current) return;
      const isSamePage = pageOf(next) === pageOf(shown.current);
      if (!isSamePage && unsaved.size > 0) {
        history.replaceState(null, "", shown.current || "#/");
        leave(() => {
          location.hash = next;
        });
        return;
      }
      shown.current = next;
      setHash(next);
    };
    const warn = (event: BeforeUnloadEvent) => {
      if (unsaved.size > 0) event.preventDefault();
    };
    addEventListener("hashchange", follow);
    addEventListener("beforeunload", warn);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener("beforeunload", warn);
    };
  }, [unsaved, leave]);
  const decide = useCallback(
    (shouldLeave: boolean) => {
      setPending(null);
      if (!shouldLeave) return;
      unsaved.clear();
      pending?.();
    },
    [unsaved, pending],
  );
  return useMemo(
    () => ({ route: parseHash(hash), replace, unsaved, pending, leave, decide }),
    [hash, replace, unsaved, pending, leave, decide],
  );
}

export function useRoute(): Route {
  return useContext(NavigationContext).route;
}

/** Asks the user before leaving the page while there are unsaved changes. */
export function useUnsaved(isUnsaved: boolean): void {
  const { unsaved } = useContext(NavigationContext);
  useEffect(() => {
    if (!isUnsaved) return;
    const mark = {};
    unsaved.add(mark);
    return () => void unsaved.delete(mark);
  }, [isUnsaved, unsaved]);
}

/** Returns a function that navigates without a question, after everything was saved; optionally in place of the page's entry in the history. */
export function useGoTo(): (hash: string, isReplacing?: boolean) => void {
  const { unsaved } = useContext(NavigationContext);
  return (hash, isReplacing = false) => {
    unsaved.clear();
    if (isReplacing) location.replace(hash);
    else location.hash = hash;
  };
}

/** The dialog of a list page that creates an object. It is in the URL, so that links can open it. */
export function useNewDialog() {
  const { route, replace } = useContext(NavigationContext);
  const { path, query } = route;
  const goTo = useGoTo();
  return {
    isNewOpen: query["new"] !== undefined,
    openNew: () => goTo(hashOf(path, { ...query, new: "yes" })),
    closeNew: () => replace(hashOf(path, { ...query, new: null })),
  };
}

/** Returns the path without the query: another page of a list is still the same page. */
function pageOf(hash: string): string {
  return parseHash(hash).path.join("/");
}
