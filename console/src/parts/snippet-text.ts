/** Returns the URL of a path of the service, which may be below a path prefix of a proxy. */
export function serviceUrl(path: string): string {
  return new URL(`..${path}`, location.href).href;
}

/** Quotes a text as one argument of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
