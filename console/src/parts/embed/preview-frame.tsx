import { useEffect, useRef, useState } from "react";
import type { Picture } from "./picture.js";

/** The sample dashboard, drawn by a page without access to the console. */
export function PreviewFrame({ picture }: { readonly picture: Picture }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    if (!isLoaded) return;
    const root = document.documentElement;
    // The frame has an opaque origin, which cannot be named.
    const send = () =>
      frame.current?.contentWindow?.postMessage({ ...picture, theme: root.dataset["theme"] }, "*");
    send();
    const observer = new MutationObserver(send);
    observer.observe(root, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, [isLoaded, picture]);
  return (
    <iframe
      ref={frame}
      className="preview-frame"
      title={`Dashboard of ${picture.name}`}
      src="preview"
      sandbox="allow-scripts"
      onLoad={() => setLoaded(true)}
    />
  );
}
