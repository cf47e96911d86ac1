/** All that begins like a secret of ours: an API key, a user group token, the secret of a webhook; a false one may be a real one's typo. */
const SECRET = /(ugk_(?:live|test)_|ugt_|whsec_)[0-9A-Za-z+/]+=*/g;

/** Leaves of each secret in a text its prefix only. Callers put them where nobody expects them: into paths, names, queries. */
export function redactSecrets(text: string): string {
  return text.replace(SECRET, "$1…");
}
