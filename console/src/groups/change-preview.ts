import type { Client } from "../api/client.js";
import {
  ChangeGroupsDocument,
  type ChangeGroupsMutation,
  PropertiesOfDocument,
  type UpdateUserGroupsInput,
} from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import { typedTextOf } from "./value-text.js";

type Results = ChangeGroupsMutation["updateUserGroups"]["results"];

/** A group that was refused. */
export interface Refusal {
  readonly name: string;
  readonly message: string;
}

/** What a change would do. */
export interface Preview {
  readonly isEnded: boolean;
  readonly done: number;
  readonly changed: number;
  readonly refused: readonly Refusal[];
  /** The number of groups that would change by their former value. */
  readonly formers: ReadonlyMap<string, number>;
  /** Why nothing could be previewed. */
  readonly errors: UserErrors;
}

export const NO_PREVIEW: Preview = {
  isEnded: false,
  done: 0,
  changed: 0,
  refused: [],
  formers: new Map(),
  errors: [],
};

/** The property or schema that changes. */
export type Target = { readonly property: string } | { readonly schemaId: string };

/** Yields a preview after each page of a change, of which nothing is written. @throws Failure */
export async function* previewChange(
  client: Client,
  change: UpdateUserGroupsInput,
  target: Target,
): AsyncGenerator<Preview, void> {
  let preview = NO_PREVIEW;
  let after: string | null = null;
  do {
    const page: UpdateUserGroupsInput = after === null ? change : { ...change, after };
    const { updateUserGroups }: ChangeGroupsMutation = await client.call(ChangeGroupsDocument, {
      input: { ...page, dryRun: true, allOrNothing: false },
      withMapping: "schemaId" in target,
    });
    const { results, userErrors, endCursor } = updateUserGroups;
    if (results.length === 0 && userErrors.length > 0) {
      yield { ...preview, errors: userErrors };
      return;
    }
    const changed = results.filter(({ isChanged }) => isChanged);
    const formers = new Map(preview.formers);
    for (const former of await formerValues(client, changed, target))
      formers.set(former, (formers.get(former) ?? 0) + 1);
    preview = {
      isEnded: endCursor === null,
      done: preview.done + results.length,
      changed: preview.changed + changed.length,
      refused: [...preview.refused, ...results.flatMap(refusalOf)],
      formers,
      errors: [],
    };
    yield preview;
    after = endCursor;
  } while (after !== null);
}

/** Returns why a group was refused, if it was. */
export function refusalOf({
  userGroup,
  userErrors: [error],
}: Pick<Results[number], "userErrors"> & {
  readonly userGroup: { readonly name: string } | null;
}): Refusal[] {
  return error ? [{ name: userGroup?.name ?? "A deleted group", message: error.message }] : [];
}

const NONE = "not set";

/** Returns the current value of each group. */
async function formerValues(client: Client, changed: Results, target: Target): Promise<readonly string[]> {
  // A dry run returns the mapping as it is, and the properties as they would be.
  if ("schemaId" in target)
    return changed.map(({ userGroup }) => {
      const entry = userGroup?.mapping?.find(({ schemaId }) => schemaId === target.schemaId);
      return entry?.dataSource.providedId ?? NONE;
    });
  const ids = changed.flatMap(({ userGroup }) => (userGroup ? [userGroup.id] : []));
  if (ids.length === 0) return [];
  const { nodes } = await client.call(PropertiesOfDocument, { ids });
  return nodes.map((node) => {
    const properties = Object(node && "properties" in node ? node.properties : null);
    return Object.hasOwn(properties, target.property) ? typedTextOf(properties[target.property]) : NONE;
  });
}
