import { type RefObject, useEffect, useRef } from "react";

/**
 * Runs `mount` with a shadow root of the referenced element. There, editors use constructed style sheets: the page's
 * Content-Security-Policy blocks the style elements that they would insert into a document.
 * @param mount returns the function that removes what it created
 */
export function useShadowRoot(mount: (root: ShadowRoot) => () => void): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null);
  const mountOnce = useRef(mount);
  useEffect(() => {
    if (!host.current) return;
    return mountOnce.current(
      host.current.shadowRoot ?? host.current.attachShadow({ mode: "open", delegatesFocus: true }),
    );
  }, []);
  return host;
}
