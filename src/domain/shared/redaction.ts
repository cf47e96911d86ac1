/**
 * Matches API keys, user group tokens and webhook secrets by prefix, and JWTs such as embed sessions. The rest is not validated: a typo of
 * a secret is also sensitive.
 */
const SECRET = /(ugk_(?:live|test)_|ugt_|whsec_)[0-9A-Za-z+/]+=*|(eyJ)[\w-]+\.[\w-]+\.[\w-]*/g;

/** Redacts secrets to their prefixes. Callers send secrets in unexpected places: paths, names, queries. */
export function redactSecrets(text: string): string {
  return text.replace(SECRET, "$1$2…");
}
