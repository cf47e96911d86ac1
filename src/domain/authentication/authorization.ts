import { type AuthenticationScheme, DomainError } from "../shared/errors.js";

/** The credential that a path accepts: any of GraphQL's, an API key, or that of the metrics. */
type Accepted = "graphql" | "apiKey" | "metricsToken";

/** Contents of an Authorization header: an API key, or a user group token or embed session (decision 15). */
interface Credentials {
  readonly kind: "apiKey" | "frontEnd";
  readonly secret: string;
}

/** A kind of credential, which its first characters show. */
interface CredentialKind {
  readonly prefix: string;
  readonly name: string;
  readonly scheme: AuthenticationScheme;
  /** How to send it. */
  readonly form: string;
  /** The message for one that is sent correctly, but not valid. */
  readonly refusal: string;
}

const KINDS: readonly CredentialKind[] = [
  {
    prefix: "ugk_",
    name: "an API key",
    scheme: "Token",
    form: "Token <API_KEY>",
    refusal: "The API key is unknown, revoked or expired.",
  },
  {
    prefix: "ugt_",
    name: "a user group token",
    scheme: "Bearer",
    form: "Bearer <user group token>",
    refusal: "The user group token is unknown or was rotated.",
  },
  {
    prefix: "eyJ",
    name: "an embed session",
    scheme: "Bearer",
    form: "Bearer <embed session>",
    refusal: "The embed session cannot be verified: it was altered or cut off, or is not of this service.",
  },
];

const SEND_API_KEY = "Send `Authorization: Token <API_KEY>`";
const SEND_METRICS_TOKEN =
  "Send `Authorization: Bearer <METRICS_TOKEN>`, with the value of the setting METRICS_TOKEN";
const SEND_EITHER = "Send `Token <API_KEY>` or, to GraphQL, `Bearer <embed session or user group token>`";

const MISSING: Readonly<Record<Accepted, string>> = {
  graphql: "Send `Token <API_KEY>` or `Bearer <embed session or user group token>`",
  apiKey: SEND_API_KEY,
  metricsToken: SEND_METRICS_TOKEN,
};

/**
 * Parses an Authorization header: `Token <API_KEY>` (interface, part 5) or, if the path accepts it, `Bearer <embed session or user group
 * token>`. The scheme is case-insensitive.
 * @throws DomainError as `credentialsError` creates it, if the header is missing or has another form
 */
export function parseCredentials(
  header: string | undefined,
  accepted: Exclude<Accepted, "metricsToken">,
): Credentials {
  const sent = readHeader(header);
  const kind = kindOf(header);
  const isMisplaced = kind && sent && kind.scheme !== sent.scheme;
  if (!sent || isMisplaced || (accepted === "apiKey" && sent.scheme !== "Token"))
    throw credentialsError(header, accepted);
  return { kind: sent.scheme === "Token" ? "apiKey" : "frontEnd", secret: sent.secret };
}

/** Returns the API key in an Authorization header, if any. */
export function findApiKey(header: string): string | undefined {
  const sent = readHeader(header);
  return sent?.scheme === "Token" ? sent.secret : undefined;
}

/**
 * Creates the error for an Authorization header that does not authenticate. It names the kind of what was sent and how to send it, but does
 * not contain it. Messages for GraphQL fit into the close reason of a WebSocket, which may have 123 bytes.
 * @param header undefined or empty if there is none
 */
export function credentialsError(header: string | undefined, accepted: Accepted): DomainError {
  const sent = readHeader(header);
  const schemes: Readonly<Record<Accepted, readonly AuthenticationScheme[]>> = {
    graphql: sent ? [sent.scheme] : ["Token", "Bearer"],
    apiKey: ["Token"],
    metricsToken: ["Bearer"],
  };
  return new DomainError("unauthenticated", messageFor(header, accepted), { schemes: schemes[accepted] });
}

/** Creates the error for an embed session that was valid before. */
export function sessionError(reason: "expired" | "ended"): DomainError {
  return new DomainError(
    "unauthenticated",
    reason === "expired"
      ? "The embed session has expired. Create another one."
      : "The embed session has ended: its group was deleted, the token rotated or the API key revoked. Create another one.",
    { schemes: ["Bearer"] },
  );
}

function messageFor(header: string | undefined, accepted: Accepted): string {
  if (!header) return `The Authorization header is missing. ${MISSING[accepted]}.`;
  const sent = readHeader(header);
  const kind = kindOf(header);
  if (accepted === "metricsToken")
    return `${kind ? `This is ${kind.name}.` : "The Authorization header is invalid."} ${SEND_METRICS_TOKEN}.`;
  if (!kind)
    return `${sent ? "The credential is unknown." : "The Authorization header is invalid."} ${SEND_EITHER}.`;
  if (accepted === "apiKey" && kind.scheme !== "Token")
    return `This is ${kind.name}. Only GraphQL accepts it, as \`${kind.form}\`. ${SEND_API_KEY} here.`;
  if (sent?.scheme === kind.scheme) return kind.refusal;
  const only = kind.scheme === "Token" ? "" : ", which only GraphQL accepts";
  return `This is ${kind.name}${only}. Send \`Authorization: ${kind.form}\`.`;
}

function readHeader(header = ""): { readonly scheme: AuthenticationScheme; readonly secret: string } | null {
  const [, scheme = "", secret] = /^(token|bearer) +(\S+) *$/i.exec(header) ?? [];
  if (secret === undefined) return null;
  return { scheme: scheme.toLowerCase() === "token" ? "Token" : "Bearer", secret };
}

/** Finds the kind by its prefix, also behind no scheme, another one, or the wrong characters. */
function kindOf(header = ""): CredentialKind | undefined {
  return KINDS.find(({ prefix }) => header.split(/[^\w.-]+/).some((word) => word.startsWith(prefix)));
}
