import { createContext, useContext, useEffect, useMemo, useRef, useState } from "react";
import { parseHash, type Route } from "./route.js";

export const LEAVE_QUESTION = "Leave this page? Your changes are not saved.";

interface Navigation {
  readonly route: Route;
  /** Markers of pages with unsaved changes. */
  readonly unsaved: Set<object>;
}

export const NavigationContext = createContext<Navigation>({
  route: { path: [], query: {} },
  unsaved: new Set(),
});

/** Tracks the URL hash, and asks before leaving unsaved changes. */
export function useNavigation(): Navigation {
  const [hash, setHash] = useState(location.hash);
  const shown = useRef(hash);
  const unsaved = useRef(new Set<object>());
  useEffect(() => {
    const follow = () => {
      if (location.hash === shown.current) return;
      const isSamePage = pageOf(location.hash) === pageOf(shown.current);
      if (!isSamePage && unsaved.current.size > 0 && !confirm(LEAVE_QUESTION)) {
        history.replaceState(null, "", shown.current || "#/");
        return;
      }
      shown.current = location.hash;
      setHash(location.hash);
    };
    const warn = (event: BeforeUnloadEvent) => {
      if (unsaved.current.size > 0) event.preventDefault();
    };
    addEventListener("hashchange", follow);
    addEventListener("beforeunload", warn);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener("beforeunload", warn);
    };
  }, []);
  return useMemo(() => ({ route: parseHash(hash), unsaved: unsaved.current }), [hash]);
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

/** Returns a function that navigates without a question, after everything was saved. */
export function useGoTo(): (hash: string) => void {
  const { unsaved } = useContext(NavigationContext);
  return (hash) => {
    unsaved.clear();
    location.hash = hash;
  };
}

/** Returns the path without the query: another page of a list is still the same page. */
function pageOf(hash: string): string {
  return parseHash(hash).path.join("/");
}
