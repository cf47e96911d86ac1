import { useEffect, useRef, useState } from "react";

/** The group that a preview draws, as a page gets it with an embed session. */
export interface Picture {
  readonly name: string;
  /** The defaults of the schema, the group's properties and the variables of the session: the latter take precedence. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly mapping: readonly { readonly schemaId: string; readonly dataSource: string }[];
}

/** The sample dashboard, drawn by a page without access to the console. */
export function PreviewFrame({ picture }: { readonly picture: Picture }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    if (!isLoaded) return;
    const root = document.documentElement;
    // Rounds numbers, as pages do that read the group.
    const plain = JSON.parse(JSON.stringify(picture));
    // The frame has an opaque origin, which cannot be named.
    const send = () =>
      frame.current?.contentWindow?.postMessage({ ...plain, theme: root.dataset["theme"] }, "*");
    send();
    const observer = new MutationObserver(send);
    observer.observe(root, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, [isLoaded, picture]);
  useEffect(() => {
    const resize = ({ source, data }: MessageEvent<unknown>) => {
      if (source === frame.current?.contentWindow && typeof data === "number") setHeight(data);
    };
    addEventListener("message", resize);
    return () => removeEventListener("message", resize);
  }, []);
  return (
    <iframe
      ref={frame}
      className="preview-frame"
      title={`Dashboard of ${picture.name}`}
      src="preview"
      sandbox="allow-scripts"
      style={{ height }}
      onLoad={() => setLoaded(true)}
    />
  );
}
