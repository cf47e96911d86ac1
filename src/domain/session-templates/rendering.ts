import type { Environment } from "../accounts/environment.js";
import { type FieldPath, invalidField } from "../shared/errors.js";
import { FieldErrors } from "../shared/field-parsing.js";
import { isJsonObject, type JsonObject, type JsonValue, memberOf } from "../shared/json.js";
import { markInexactNumbers, quoteNumbers } from "../shared/json-text.js";
import type { UserGroup } from "../user-groups/user-group.js";
import { mapTexts } from "./claims.js";
import { parseTemplateText, type Reference, type ReferenceRoot, referencesIn } from "./reference.js";
import { encodeValue, isEmpty, isUnsafeNumber, valueRule } from "./value.js";

/** Maximum size of rendered claims as JSON text: some tools take the token in an address. */
const MAX_RENDERED_BYTES = 6 * 1024;

/** What the references of a template mean in one session. */
export interface SessionValues {
  readonly userGroup: Pick<UserGroup, "id" | "providedId" | "name" | "properties">;
  /** The external IDs of the group's data sources, by schema ID. */
  readonly mapping: ReadonlyMap<string, string>;
  readonly variables: JsonObject;
  readonly accountName: string;
  readonly environment: Environment;
  readonly sessionId: string;
}

/**
 * Replaces the references of validated claims by the values of a session, in one pass: a value is never read as a template.
 * @throws DomainError `invalid_field` with every reference whose value is missing or cannot be written, or if the claims get too large
 */
export function renderClaims(claims: JsonObject, values: SessionValues): JsonObject {
  const lookup = new ValueLookup(values);
  const errors = new FieldErrors("invalid_field");
  let bytes = 0;
  const rendered = mapTexts(claims, ["claims"], (text, path) => {
    const parts = parseTemplateText(text, path);
    const written = parts.map((part) =>
      typeof part === "string"
        ? part
        : (errors.collect(() => lookup.require(part, path, parts.length === 1)) ?? null),
    );
    const [first = ""] = written;
    const value = parts.length > 1 ? written.join("") : first;
    // Counted along the way: a large property may be referred to many times.
    bytes += Buffer.byteLength(JSON.stringify(value));
    if (bytes > MAX_RENDERED_BYTES) throw tooLarge(values);
    return value;
  });
  errors.throwIfAny();
  if (Buffer.byteLength(JSON.stringify(rendered)) > MAX_RENDERED_BYTES) throw tooLarge(values);
  return rendered;
}

/** Returns the paths of properties that the claims refer to and none of the given properties has. */
export function missingProperties(
  claims: JsonObject,
  properties: readonly UserGroup["properties"][],
): readonly string[] {
  const paths = new Map<string, readonly string[]>();
  mapTexts(claims, [], (text, path) => {
    for (const { root, names } of referencesIn(parseTemplateText(text, path)))
      if (root === "userGroup.properties") paths.set(names.join("."), names);
    return text;
  });
  for (const text of properties) {
    if (paths.size === 0 || text === null) continue;
    const parsed: JsonValue = JSON.parse(text);
    for (const [path, names] of paths) if (memberAt(parsed, names) !== undefined) paths.delete(path);
  }
  return [...paths.keys()];
}

function tooLarge({ userGroup }: SessionValues) {
  return invalidField(
    ["claims"],
    `must be at most ${MAX_RENDERED_BYTES} bytes of JSON with the values of the user group \`${userGroup.providedId}\``,
  );
}

/** Finds the values of references; parses the properties when they are first needed. */
class ValueLookup {
  #properties: JsonValue | undefined;
  /** The properties with texts in place of numbers. */
  #digits: JsonValue | undefined;

  constructor(private readonly values: SessionValues) {}

  /**
   * Returns the value of a reference: any JSON value if it is the whole text, else a text.
   * @throws DomainError `invalid_field` if it is missing or cannot be written where it stands
   */
  require(reference: Reference, path: FieldPath, isWhole: boolean): JsonValue {
    const found = this.#find(reference);
    const refuse = (rule: string) =>
      invalidField(
        path,
        `has \`${reference.source}\`, which ${rule} for the user group \`${this.values.userGroup.providedId}\`: ${remedy(reference)}`,
      );
    const value = found !== undefined && isUsable(reference, found) ? found : reference.fallback;
    if (value === undefined) throw refuse(found === undefined ? "is missing" : "is empty");
    const rule = valueRule(reference, value, isWhole);
    if (rule !== undefined) throw refuse(rule);
    return isWhole && reference.encoder !== "text" ? value : encodeValue(reference, value);
  }

  #find(reference: Reference): JsonValue | undefined {
    const value = this.#valueOf(reference);
    if (reference.encoder !== "text" || value === undefined || !isUnsafeNumber(value)) return value;
    return this.#digitsOf(reference, value);
  }

  #valueOf({ root, names }: Reference): JsonValue | undefined {
    const { userGroup, mapping, variables, accountName, environment, sessionId } = this.values;
    const values: Readonly<Record<ReferenceRoot, () => JsonValue | undefined>> = {
      "userGroup.providedId": () => userGroup.providedId,
      "userGroup.teamId": () => userGroup.id,
      "userGroup.name": () => userGroup.name,
      "userGroup.properties": () => memberAt(this.#parsedProperties(), names),
      "userGroup.mapping": () => mapping.get(names[0] ?? ""),
      variables: () => memberAt(variables, names),
      "account.name": () => accountName,
      environment: () => environment,
      "session.id": () => sessionId,
    };
    return values[root]();
  }

  #parsedProperties(): JsonValue {
    this.#properties ??= JSON.parse(markInexactNumbers(this.values.userGroup.properties ?? "{}"));
    return this.#properties ?? null;
  }

  /** Returns the digits of a number that JavaScript does not keep, as they are stored. */
  #digitsOf({ root, names }: Reference, value: JsonValue): JsonValue | undefined {
    if (root !== "userGroup.properties") return String(value);
    this.#digits ??= JSON.parse(quoteNumbers(this.values.userGroup.properties ?? "{}"));
    return memberAt(this.#digits ?? null, names);
  }
}

function isUsable({ allowsEmpty }: Reference, value: JsonValue): boolean {
  return allowsEmpty || !isEmpty(value);
}

/** Returns an own member by its names, from the outermost. */
function memberAt(value: JsonValue, names: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const name of names) found = isJsonObject(found) ? memberOf(found, name) : undefined;
  return found;
}

/** Returns what to do about a value that is missing or cannot be used. */
function remedy({ root, names }: Reference): string {
  const name = names.join(".");
  switch (root) {
    case "userGroup.properties":
      return `set its property \`${name}\``;
    case "userGroup.mapping":
      return `map its schema \`${name}\` to a data source`;
    case "variables":
      return `send the variable \`${name}\``;
    case "userGroup.name":
      return "set its name";
    default:
      return "change the template";
  }
}
