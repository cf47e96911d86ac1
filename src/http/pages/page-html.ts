import { LOGO, renderHeader, type SitePage } from "./site-header.js";

/** The logo as the page's icon, in a color for light and dark tabs. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(
  LOGO.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"').replace("currentColor", "#6f6bf2"),
)}`;

/** The parts in which pages differ. */
interface PageParts {
  /** Undefined for the landing page. */
  readonly current?: SitePage;
  readonly title: string;
  /** Relative URL of the service's root, because the service may be served below a path prefix of a proxy. */
  readonly root: string;
  /** Relative URL of the page's assets. */
  readonly assets: string;
  readonly style: string;
  /** Script that runs before the first paint. */
  readonly start: string;
  /** Script that runs once the page is parsed. */
  readonly script?: string;
  /** HTML below the header. */
  readonly content: string;
}

/** Renders a page with the header that all pages share. */
export function renderHtml({
  current,
  title,
  root,
  assets,
  style,
  start,
  script,
  content,
}: PageParts): string {
  const deferred = script === undefined ? "" : `\n<script src="${assets}/${script}" defer></script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="User groups for embedded dashboards.">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${assets}/${style}">
<script src="${assets}/${start}"></script>${deferred}
</head>
<body>
${renderHeader(current, root)}
${content}
</body>
</html>
`;
}
