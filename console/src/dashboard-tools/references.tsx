import type { ReferenceSampleQuery } from "../api/generated/operations.js";
import { isObject } from "../parts/is-object.js";

export type SampleGroups = ReferenceSampleQuery["userGroups"]["nodes"];

const FIXED = [
  "userGroup.providedId",
  "userGroup.name",
  "userGroup.teamId",
  "account.name",
  "environment",
  "session.id",
];
/** Deeper properties, and more of them, can be typed. */
const MAX_DEPTH = 3;
const MAX_REFERENCES = 100;

/** Returns references to the values that groups have, as templates write them. */
export function referencesOf(groups: SampleGroups): readonly string[] {
  const found = new Set<string>();
  for (const { properties, mapping } of groups) {
    addMembers("userGroup.properties", properties, 1, found);
    for (const { schemaId } of mapping) found.add(memberOf("userGroup.mapping", schemaId));
  }
  const sorted = [...found].toSorted().slice(0, MAX_REFERENCES);
  return [...FIXED, ...sorted].map((path) => `{{ ${path} }}`);
}

function addMembers(path: string, value: unknown, depth: number, found: Set<string>): void {
  if (!isObject(value) || depth > MAX_DEPTH) return;
  for (const [name, member] of Object.entries(value)) {
    const memberPath = memberOf(path, name);
    if (isObject(member)) addMembers(memberPath, member, depth + 1, found);
    else found.add(memberPath);
  }
}

function memberOf(path: string, name: string): string {
  return /^[\w-]+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** Returns a JSON Schema that completes references in texts at any depth. */
export function referencesSchema(references: readonly string[]): object {
  const claim = { examples: references, items: { $ref: "#/$defs/claim" } };
  return {
    $defs: { claim: { ...claim, additionalProperties: { $ref: "#/$defs/claim" } } },
    type: "object",
    additionalProperties: { $ref: "#/$defs/claim" },
  };
}

interface ReferenceListProps {
  readonly references: readonly string[];
  readonly onInsert: (reference: string) => void;
}

/** Buttons that insert a reference into the claims. */
export function ReferenceList({ references, onInsert }: ReferenceListProps) {
  return (
    <details className="references">
      <summary>Insert a reference</summary>
      <p className="fine">Properties and schemas are those of up to 50 groups of this environment.</p>
      <ul>
        {references.map((reference) => (
          <li key={reference}>
            <button type="button" className="link code" onClick={() => onInsert(reference)}>
              {reference}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
