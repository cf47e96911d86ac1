import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { missingCredentials } from "../../../domain/authentication/authorization.js";
import { DomainError } from "../../../domain/shared/errors.js";

/** Root fields that need no credentials: introspection and `viewer`, which is null. */
const ANONYMOUS_ROOT_FIELDS: ReadonlySet<string> = new Set(["__schema", "__type", "__typename", "viewer"]);

/** Introspection fields that list members of a type. */
const MEMBER_LISTS: ReadonlySet<string> = new Set(["fields", "inputFields", "interfaces", "possibleTypes"]);

/** Maximum nesting of member lists. Tools need one level; each further level multiplies the size of the reply. */
const MAX_MEMBER_LEVELS = 1;

/**
 * Checks whether a document may run without credentials. The document may be invalid.
 * @returns the error; null if it may run
 */
export function findAnonymousError(document: DocumentNode): DomainError | null {
  const walker = new DocumentWalker(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    if (walker.rootFieldsOf(definition.selectionSet).some((name) => !ANONYMOUS_ROOT_FIELDS.has(name))) {
      return missingCredentials();
    }
    const levels = walker.memberLevelsOf(definition.selectionSet);
    if (levels > MAX_MEMBER_LEVELS) return tooManyLevels(levels);
  }
  return null;
}

function tooManyLevels(actual: number): DomainError {
  return new DomainError(
    "query_too_deep",
    `Without credentials, introspection can nest lists of fields and types only ${MAX_MEMBER_LEVELS} level deep. Send an API key.`,
    { details: { limit: MAX_MEMBER_LEVELS, actual } },
  );
}

/** Visits each fragment of a document at most once: fragments may form a cycle before validation. */
class DocumentWalker {
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
