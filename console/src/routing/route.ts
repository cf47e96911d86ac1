/** A place in the console, as the part of the address behind `#` names it: it never reaches a server or its log. */
export interface Route {
  /** The decoded parts of the path, `groups` and `acme` in `#/groups/acme`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Reads the hash of an address; what cannot be decoded stays as it is. */
export function parseHash(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Writes the hash of a place; parameters that are empty or undefined are left out. */
export function hashOf(
  path: readonly string[],
  query: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) given.set(name, value);
  const text = given.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text && `?${text}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
