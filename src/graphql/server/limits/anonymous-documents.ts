import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { missingCredentials } from "../../../domain/authentication/authorization.js";
import { DomainError } from "../../../domain/shared/errors.js";

/** The fields of the operation itself that need no credentials: the schema, and `viewer`, which is null. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(["__schema", "__type", "__typename", "viewer"]);

/** The fields of introspection that lead from one type to many others. */
const MEMBER_LISTS: ReadonlySet<string> = new Set(["fields", "inputFields", "interfaces", "possibleTypes"]);

/** How often these may be nested in each other: once, as tools do it. Each further level multiplies the reply. */
const MAX_MEMBER_LEVELS = 1;

/**
 * Refuses a document that a request without credentials may not run. It need not be valid.
 * @returns the reason; null for a document that it may run
 */
export function refuseWithoutCredentials(document: DocumentNode): DomainError | null {
  const walk = new Walk(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    if (walk.rootFieldsOf(definition.selectionSet).some((name) => !OPEN_FIELDS.has(name))) {
      return missingCredentials();
    }
    const levels = walk.memberLevelsOf(definition.selectionSet);
    if (levels > MAX_MEMBER_LEVELS) return tooManyLevels(levels);
  }
  return null;
}

function tooManyLevels(actual: number): DomainError {
  return new DomainError(
    "query_too_deep",
    `Without credentials, introspection may nest lists of fields and types ${MAX_MEMBER_LEVELS} level deep. Send an API key.`,
    { figures: { limit: MAX_MEMBER_LEVELS, actual } },
  );
}

/** Follows the fragments of a document, each of them once: a document that is not valid may have a ring of them. */
class Walk {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #levels = new Map<string, number>();

  constructor({ definitions }: DocumentNode) {
    for (const definition of definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
    }
  }

  rootFieldsOf(selectionSet: SelectionSetNode, seen = new Set<string>()): string[] {
    return selectionSet.selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection.name.value];
      if (selection.kind === Kind.INLINE_FRAGMENT) return this.rootFieldsOf(selection.selectionSet, seen);
      const name = selection.name.value;
      const fragment = this.#fragments.get(name);
      if (!fragment || seen.has(name)) return [];
      seen.add(name);
      return this.rootFieldsOf(fragment.selectionSet, seen);
    });
  }

  memberLevelsOf({ selections }: SelectionSetNode): number {
    return selections.reduce((levels, selection) => Math.max(levels, this.#memberLevels(selection)), 0);
  }

  #memberLevels(selection: SelectionNode): number {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#levelsOfFragment(selection.name.value);
    if (!selection.selectionSet) return 0;
    const below = this.memberLevelsOf(selection.selectionSet);
    return selection.kind === Kind.FIELD && MEMBER_LISTS.has(selection.name.value) ? below + 1 : below;
  }

  #levelsOfFragment(name: string): number {
    const known = this.#levels.get(name);
    if (known !== undefined) return known;
    this.#levels.set(name, 0);
    const fragment = this.#fragments.get(name);
    const levels = fragment ? this.memberLevelsOf(fragment.selectionSet) : 0;
    this.#levels.set(name, levels);
    return levels;
  }
}
