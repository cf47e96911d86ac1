/** The parts of the configuration that pages show. */
interface PageData {
  /** Pages that this service does not serve. */
  readonly disabled: readonly string[];
  /** The page of the team's product that opens with an embed session. */
  readonly preview_url?: string;
  readonly has_identity_provider?: boolean;
  /** The demo account, for browsers on the service's machine only. */
  readonly demo?: { readonly apiKey: string; readonly dataSource: string };
}

/** Relative to the built script, which is in the folder `assets` below the service's root. */
const url = new URL(/* @vite-ignore */ "../pages.json", import.meta.url);
const reply: Promise<PageData> = fetch(url).then((response) =>
  response.ok ? response.json() : Promise.reject(new Error(`status ${response.status}`)),
);

/** Without it, pages link every page and offer no key. */
export const pageData: PageData = await reply.catch(() => ({ disabled: [] }));
