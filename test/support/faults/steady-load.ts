import { setTimeout as sleep } from "node:timers/promises";
import { LoadGroup } from "./load-group.js";
import { LoadJournal, type MortalTarget } from "./load-journal.js";

/** Lanes and the pause of each between requests: a steady load below saturation. */
const STEADY = { lanes: 8, restMs: 5 };

export interface SteadyLoad {
  readonly journal: LoadJournal;
  /** Prefix of all created IDs. */
  readonly prefix: string;
  /** Every group of the load, by API key. */
  readonly groups: ReadonlyMap<string, readonly LoadGroup[]>;
  /** Data sources that the load created, and those with an unknown outcome. */
  readonly dataSources: { readonly made: readonly string[]; readonly unknown: readonly string[] };
  /** Stops the load once every request has a reply. */
  stop(): Promise<void>;
}

/**
 * Reads and writes over REST and GraphQL until stopped.
 * @param keys of tenants, whose groups have the same IDs
 * @param prefix of all created IDs
 */
export function startLoad(
  target: string | MortalTarget,
  keys: readonly string[],
  prefix: string,
  { lanes, restMs } = STEADY,
): SteadyLoad {
  const journal = new LoadJournal(target);
  const groups = new Map<string, LoadGroup[]>(keys.map((key) => [key, []]));
  const made: string[] = [];
  const unknown: string[] = [];
  let isStopping = false;

  async function run(key: string, lane: number): Promise<void> {
    const newGroup = (name: string) => {
      const group = new LoadGroup(journal, key, name);
      groups.get(key)?.push(group);
      return group;
    };
    for (let round = 0; !isStopping; round += 1) {
      const name = `${prefix}-${lane}-${round}`;
      const group = newGroup(name);
      for (const step of stepsOf(group, round, () => newGroup(`${name}-more`))) {
        if (isStopping || group.state === undefined) break;
        await step();
        await sleep(restMs);
      }
      if (!isStopping) await createDataSource(key, `${name} of ${key.slice(4, 8)}`);
    }
  }

  async function createDataSource(key: string, providedId: string): Promise<void> {
    const operation = `mutation ($input: CreateDataSourceInput!) {
      createDataSource(input: $input) { dataSource { providedId } userErrors { code } }
    }`;
    const variables = { input: { providedId, name: providedId } };
    const idempotencyKey = providedId.replaceAll(" ", "/");
    const { data } = await journal.graphql(key, operation, variables, idempotencyKey);
    (data ? made : unknown).push(providedId);
    if (data)
      journal.expect("data source", data.createDataSource, { dataSource: { providedId }, userErrors: [] });
  }

  const running = Array.from({ length: lanes }, (_, index) =>
    run(keys[index % keys.length] ?? "", Math.floor(index / keys.length)),
  );
  return {
    journal,
    prefix,
    groups,
    dataSources: { made, unknown },
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };

  /** The life cycle of a group. Steps that depend on an uncertain state are skipped. */
  function stepsOf(group: LoadGroup, round: number, newGroup: () => LoadGroup): (() => Promise<void>)[] {
    const isEven = round % 2 === 0;
    let formerToken: string | null = null;
    const state = () => {
      const known = group.state;
      if (!known) throw new Error("Nothing is done to a group that is not there.");
      return known;
    };
    return [
      () => group.create(isEven ? null : "sales"),
      () => group.get(state()),
      () => group.put(state(), !isEven),
      () => group.query(state()),
      () => group.update(state()),
      () => {
        formerToken = state().token;
        return group.rotate(state(), isEven);
      },
      () => group.watch(state(), formerToken),
      () => group.put(state(), isEven),
      () => group.upsertWith(state(), newGroup()),
      () => group.list(state()),
      () => group.rotateForCertain(state(), isEven),
      ...(round % 3 === 0 ? [] : [() => group.delete(state(), isEven), () => group.query(null)]),
    ];
  }
}
