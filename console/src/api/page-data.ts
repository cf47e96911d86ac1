import { readJson, send } from "./http.js";

/** The parts of the configuration that pages show. */
interface PageData {
  /** Pages that this service does not serve. */
  readonly disabled: readonly string[];
  /** The page of the team's product that opens with an embed session. */
  readonly preview_url?: string;
  /** Origins of dashboard tools that the console may show in frames. */
  readonly frame_origins?: readonly string[];
  /** The host where people sign in. */
  readonly identity_provider?: string;
  /** The demo account, for browsers on the service's machine only. */
  readonly demo?: { readonly apiKey: string; readonly dataSource: string };
}

/** Relative to the built script, which is in the folder `assets` below the service's root. */
const url = new URL(/* @vite-ignore */ "../pages.json", import.meta.url);
const reply: Promise<PageData> = fetch(url).then((response) =>
  response.ok ? response.json() : Promise.reject(new Error(`status ${response.status}`)),
);

/** Returns whether pages of an origin may call the service. @throws Failure if the service cannot be asked */
export async function askWhetherAllowed(origin: string): Promise<boolean> {
  const asked = new URL(url);
  asked.searchParams.set("origin", origin);
  const reply = await readJson<{ readonly is_allowed_origin?: boolean }>(await send(asked.href, {}));
  return reply.is_allowed_origin === true;
}

/** Without it, pages link every page and offer no key. */
export const pageData: PageData = await reply.catch(() => ({ disabled: [] }));
