import type { ReactNode } from "react";
import { pageData } from "../api/page-data.js";

/** A link to a page of the documentation, in a new tab; nothing if this service does not serve it. */
export function DocsLink({ page, children }: { readonly page: string; readonly children: ReactNode }) {
  if (pageData.disabled.includes("docs")) return null;
  return (
    <a href={`../docs/${page}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
