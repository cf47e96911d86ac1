import { useDeferredValue, useMemo, useRef } from "react";
import { Scrolled } from "../parts/scrolled.js";
import {
  type ModeColors,
  type NavigationItem,
  readPreview,
  type SitePreview,
  textColorOn,
} from "./preview-model.js";

const MAX_ITEMS = 4;

/** A rough preview of a site's navigation and colors from a possibly incomplete text. */
export function Preview({ text }: { readonly text: string }) {
  const deferred = useDeferredValue(text);
  const read = useMemo(() => readPreview(deferred), [deferred]);
  // Keep the last preview while the text is not valid JSON.
  const last = useRef(read);
  if (read) last.current = read;
  const site = last.current;
  return (
    <section className="preview" aria-labelledby="preview">
      <h2 id="preview">Preview {site && !read && <span className="badge warning">last valid text</span>}</h2>
      {site ? (
        <>
          <div className="modes">
            <SmallPage site={site} mode="Light" colors={site.light} />
            <SmallPage site={site} mode="Dark" colors={site.dark} />
          </div>
          <h3>Navigation</h3>
          <Scrolled label="Navigation">
            {site.navigation.length === 0 ? "No pages." : <Items items={site.navigation} />}
          </Scrolled>
        </>
      ) : (
        <p className="empty">The preview appears when the text is a JSON object.</p>
      )}
    </section>
  );
}

interface SmallPageProps {
  readonly site: SitePreview;
  readonly mode: string;
  readonly colors: ModeColors;
}

function SmallPage({ site, mode, colors: { background, accent, button } }: SmallPageProps) {
  const pages = pagesOf(site.navigation).slice(0, MAX_ITEMS);
  return (
    <figure>
      <div className="small-page" style={{ background, color: textColorOn(background) }}>
        <p className="small-top">
          <strong>{site.name}</strong>
          <span className="small-button" style={{ background: button, color: textColorOn(button) }}>
            {site.button ?? "Button"}
          </span>
        </p>
        {site.tabs.length > 0 && <p>{site.tabs.join(" · ")}</p>}
        <ul>
          {site.anchors.slice(0, MAX_ITEMS).map(({ name, color }) => (
            <li key={name}>
              <span className="dot" style={{ background: color ?? accent }} /> {name}
            </li>
          ))}
          {pages.map((page, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: the list may contain a page twice.
              key={index}
              className="small-item"
              style={{ borderColor: index === 0 ? accent : "transparent" }}
            >
              {page}
            </li>
          ))}
        </ul>
      </div>
      <figcaption>
        {mode} <Swatch name="background" color={background} /> <Swatch name="accent" color={accent} />{" "}
        <Swatch name="button" color={button} />
      </figcaption>
    </figure>
  );
}

function Swatch({ name, color }: { readonly name: string; readonly color: string }) {
  return (
    <span className="swatch">
      <span className="dot" style={{ background: color }} /> {name} <code>{color}</code>
    </span>
  );
}

function Items({ items }: { readonly items: readonly NavigationItem[] }) {
  return (
    <ul>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list may contain a page twice.
        <li key={index}>
          {typeof item === "string" ? (
            <code>{item}</code>
          ) : (
            <>
              <strong>{item.group || "(no name)"}</strong>
              <Items items={item.pages} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function pagesOf(items: readonly NavigationItem[]): string[] {
  return items.flatMap((item) => (typeof item === "string" ? [item] : pagesOf(item.pages)));
}
