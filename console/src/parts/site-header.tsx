import type { ReactNode } from "react";
import { pageData } from "../api/page-data.js";
import { LINKS } from "./site.js";
import { ThemeSwitch } from "./theme-switch.js";

/** The header that the console shares with the landing page, the playground and the API reference. Its children follow the theme switch. */
export function SiteHeader({ children }: { readonly children?: ReactNode }) {
  return (
    <div className="site-header">
      <a className="brand" href="../" data-command="Start page">
        <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
          <circle cx="8" cy="8" r="4" />
          <circle cx="16" cy="16" r="4" />
          <path d="M16 4.5a3.5 3.5 0 0 1 0 7M8 12.5a3.5 3.5 0 0 0 0 7" />
        </svg>
        User groups
      </a>
      <ProductLinks />
      <ThemeSwitch />
      {children}
    </div>
  );
}

/** Links to the pages that the service serves. */
export function ProductLinks() {
  return (
    <nav className="site-links" aria-label="Product">
      {LINKS.filter(({ page }) => !pageData.disabled.includes(page)).map(({ page, path, label }) => (
        <a key={page} href={`../${path}`} aria-current={page === "console" ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
