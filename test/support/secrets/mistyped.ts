/** Returns a secret whose last character is another one. */
export function mistyped(secret: string): string {
  return `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`;
}
