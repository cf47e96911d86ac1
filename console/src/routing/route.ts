/** A route in the URL fragment, which is never sent to a server or logged. */
export interface Route {
  /** Decoded path segments: `groups` and `acme` in `#/groups/acme`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Parses a URL fragment; segments that cannot be decoded stay unchanged. */
export function parseHash(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Returns the URL fragment of a route without empty parameters. */
export function hashOf(
  path: readonly string[],
  query: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const text = parameters.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text && `?${text}`}`;
}

/** The account and page that a link to the sign-in opens. */
export interface SignInTarget {
  readonly account: string | undefined;
  /** The page, as a URL fragment. */
  readonly route: string;
}

/** Returns what the route opens after a sign-in; null if it is another page's. Anyone may have made the link. */
export function parseSignIn({ path, query: { account, route = "" } }: Route): SignInTarget | null {
  if (path.join("/") !== "sign-in") return null;
  return { account: account || undefined, route: route.startsWith("#/") ? route : "#/" };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
