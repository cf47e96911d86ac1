import { OperatorError } from "../../domain/shared/operator-error.js";
import { differencesOf, formatChange, type ObjectChange } from "../shared/differences.js";
import type { Entries } from "./file-format.js";
import type { Section, Sections, StoredEntry } from "./sections.js";

/** A change that makes an object of the environment what the file says. */
export interface Change extends ObjectChange {
  /** The environment variable with the secret that is sent. */
  readonly secret?: string;
  /** @throws ApiError if the object was changed since it was read */
  readonly write: () => Promise<unknown>;
}

/** The entries of a file; a section that is absent is not compared. */
export type Wanted = { readonly [Name in keyof Entries]?: readonly Entries[Name][] | undefined };

/**
 * Compares a file with the environment.
 * @param prune whether to delete objects that a section of the file does not have
 * @returns the changes in an order in which references exist: deletions last, in reverse
 * @throws OperatorError if two objects of the environment have one key
 */
export async function createPlan(sections: Sections, wanted: Wanted, prune: boolean): Promise<Change[]> {
  const { dataSources, sessionTemplates, webhookEndpoints, propertySchema, sites } = sections;
  const changes = [
    await compare(dataSources, wanted.dataSources),
    await compare(sessionTemplates, wanted.sessionTemplates),
    await compare(webhookEndpoints, wanted.webhookEndpoints),
    await compare(propertySchema, wanted.propertySchema),
    await compare(sites, wanted.sites),
  ].flat();
  const deletions = changes.filter(({ action }) => action === "delete");
  return [...changes.filter(({ action }) => action !== "delete"), ...(prune ? deletions.reverse() : [])];
}

/** Reads the objects of a section, ordered by key. @throws OperatorError if two have one key */
export async function readSection<Entry>({
  noun,
  keyOf,
  read,
}: Section<Entry>): Promise<ReadonlyMap<string, StoredEntry<Entry>>> {
  const stored = new Map<string, StoredEntry<Entry>>();
  for (const each of await read()) {
    const key = keyOf(each.entry);
    if (stored.has(key))
      throw new OperatorError(
        `The environment has more than one ${noun} ${JSON.stringify(key)}. Rename or delete one first.`,
      );
    stored.set(key, each);
  }
  return new Map([...stored].sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function compare<Entry extends object>(
  section: Section<Entry>,
  wanted: readonly Entry[] | undefined,
): Promise<Change[]> {
  if (!wanted) return [];
  const stored = await readSection(section);
  const { noun, keyOf, create } = section;
  const keys = new Set(wanted.map(keyOf));
  const changes = wanted.flatMap((entry): Change[] => {
    const former = stored.get(keyOf(entry));
    const differences = differencesOf(comparable(former?.entry ?? {}), comparable(entry));
    const secret = section.needsSecret?.(entry, former?.entry) ? variableOf(entry) : {};
    if (differences.length === 0 && !("secret" in secret)) return [];
    const change = { noun, key: keyOf(entry), differences, ...secret };
    return [
      former
        ? { ...change, action: "update", write: () => former.update(entry) }
        : { ...change, action: "create", write: () => create(entry) },
    ];
  });
  const surplus = [...stored].filter(([key]) => !keys.has(key));
  return [
    ...changes,
    ...surplus.map(
      ([key, { entry, remove }]): Change => ({
        action: "delete",
        noun,
        key,
        differences: differencesOf(comparable(entry), {}),
        write: remove,
      }),
    ),
  ];
}

/** Returns the fields that are compared: a secret cannot be read. */
function comparable(entry: object): object {
  const { secret: _, ...fields }: { readonly secret?: unknown } = { ...entry };
  return fields;
}

function variableOf(entry: object): { readonly secret?: string } {
  const secret = "secret" in entry ? entry.secret : undefined;
  if (typeof secret !== "object" || secret === null || !("env" in secret)) return {};
  return { secret: String(secret.env) };
}

export function formatPlan(changes: readonly Change[]): string {
  const texts = changes.map((change) => {
    const { secret } = change;
    return `${formatChange(change)}${secret === undefined ? "" : `    secret: from the environment variable ${secret}\n`}`;
  });
  return texts.join("");
}
