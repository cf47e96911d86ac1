import { invalidField } from "../shared/errors.js";
import { requireStorable } from "../shared/text-field.js";

const MAX_URL_LENGTH = 2048;

/**
 * Validates the form of an endpoint URL.
 * @param allowHttp whether unencrypted HTTP is allowed
 * @returns the normalized URL: unusual number notations become IP addresses
 * @throws DomainError `invalid_field`
 */
export function parseWebhookUrl(text: unknown, allowHttp: boolean): string {
  const field = ["url"];
  if (typeof text !== "string") throw invalidField(field, "must be a string");
  requireStorable(text, field);
  if (text.length > MAX_URL_LENGTH)
    throw invalidField(field, `must be at most ${MAX_URL_LENGTH} characters long`);
  const schemes = allowHttp ? ["https:", "http:"] : ["https:"];
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !schemes.includes(url.protocol)) {
    const rule = `must be a URL that starts with ${schemes.map((s) => `${s}//`).join(" or ")}`;
    throw invalidField(
      field,
      allowHttp ? rule : `${rule} (for development, WEBHOOK_ALLOW_PRIVATE=true allows http://)`,
    );
  }
  if (url.username !== "" || url.password !== "")
    throw invalidField(field, "must not contain a user name or password");
  url.hash = "";
  return url.href;
}
