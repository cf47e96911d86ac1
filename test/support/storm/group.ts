import { expect } from "vitest";
import {
  CREATE,
  DELETE,
  GET_OR_CREATE,
  READ,
  ROTATE,
  UPDATE,
  UPSERT,
} from "../graphql/user-group-operations.js";
import type { RestReply } from "../rest/rest-client.js";
import { repliesOf, retryUntilReply, type StormClient, Unanswered } from "./client.js";
import {
  changed,
  created,
  entriesOf,
  fieldsOfGraphql,
  fieldsOfRest,
  type GroupFields,
  type GroupState,
  type ReplyFields,
  rotated,
} from "./state.js";

/**
 * One user group of a storm as its caller knows it. Each call checks its reply against that state; after a call without a reply,
 * the group must be in the state before the call or after it.
 */
export class StormGroup {
  readonly client: StormClient;
  readonly providedId: string;
  #state: GroupState | null = null;
  readonly #tokens: string[] = [];

  constructor(client: StormClient, providedId: string) {
    this.client = client;
    this.providedId = providedId;
  }

  get exists(): boolean {
    return this.#state !== null;
  }

  /** Former tokens, which must be invalid. */
  get formerTokens(): readonly string[] {
    return this.#tokens.filter((token) => token !== this.#state?.token);
  }

  /** Gets or creates it over REST, concurrently. */
  async getOrCreate(fields: GroupFields, times: number): Promise<void> {
    const before = this.#state;
    const after = before ?? created(fields);
    const body = { user_group_id: this.providedId, ...fields };
    const bodies = await repliesOf(
      Array.from({ length: times }, async () => succeeded(await this.client.rest("GET", body))),
    );
    const news = bodies.filter((each) => Object(each).new_user_group);
    const maxNew = before ? 0 : 1;
    expect(news.length).toBeLessThanOrEqual(maxNew);
    if (bodies.length === times) expect(news.length).toBe(maxNew);
    if (bodies.length === 0) await this.#findOut([before, after]);
    for (const each of bodies) this.#accept(this.#state ?? after, fieldsOfRest(each));
  }

  /** Creates it over GraphQL. */
  async create(fields: GroupFields, field: "createUserGroup" | "getOrCreateUserGroup"): Promise<void> {
    const query = field === "createUserGroup" ? CREATE : GET_OR_CREATE;
    const input = { providedId: this.providedId, ...fields, mapping: entriesOf(fields.mapping) };
    await this.#change(created(fields), () => this.#mutate(query, input, field));
  }

  async update(fields: Partial<GroupFields>, api: "rest" | "graphql"): Promise<void> {
    await this.#change(changed(this.#present(), fields), async () => {
      if (api === "rest") {
        const body = { user_group_id: this.providedId, ...fields };
        return fieldsOfRest(succeeded(await this.client.rest("PUT", body)));
      }
      const mapping = fields.mapping && { mapping: entriesOf(fields.mapping) };
      const input = { by: { providedId: this.providedId }, ...fields, ...mapping };
      return this.#mutate(UPDATE, input, "updateUserGroup");
    });
  }

  /** Rotates its token concurrently: one call wins. */
  async rotate(times: number, api: "rest" | "graphql"): Promise<void> {
    const before = this.#present();
    const after = rotated(before);
    const answers = await repliesOf(Array.from({ length: times }, () => this.#rotateOnce(before.token, api)));
    const winners = answers.filter((fields) => fields !== "lost");
    expect(winners.length).toBeLessThanOrEqual(1);
    if (answers.length === times) expect(winners.length).toBe(1);
    for (const fields of winners) this.#accept(after, fields);
    // A losing call implies that another one won.
    if (winners.length === 0) await this.#findOut(answers.length > 0 ? [after] : [before, after]);
  }

  async delete(api: "rest" | "graphql"): Promise<void> {
    const { token } = this.#present();
    await this.#change(null, async () => {
      if (api === "rest") {
        const body = { current_token: token, user_group_id: this.providedId };
        succeeded(await this.client.rest("DELETE", body));
      } else {
        const input = { by: { token }, providedId: this.providedId };
        const { deleteUserGroup } = await this.client.graphql(DELETE, { input });
        expect(deleteUserGroup).toEqual({ deletedUserGroupId: expect.any(String), userErrors: [] });
      }
      return null;
    });
  }

  /** Creates or updates several groups of one client together: all or none. */
  static async upsert(
    client: StormClient,
    groups: readonly StormGroup[],
    fields: GroupFields,
  ): Promise<void> {
    const mapping = entriesOf(fields.mapping);
    const userGroups = groups.map(({ providedId }) => ({ providedId, ...fields, mapping }));
    const afters = groups.map((group) => (group.#state ? changed(group.#state, fields) : created(fields)));
    let replies: (ReplyFields | null)[];
    let isDone = true;
    try {
      const { upsertUserGroups } = await client.graphql(UPSERT, { input: { userGroups } });
      expect(upsertUserGroups.userErrors).toEqual([]);
      replies = upsertUserGroups.results.map(({ userGroup }: { userGroup: unknown }) =>
        fieldsOfGraphql(userGroup),
      );
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      replies = await Promise.all(groups.map((group) => group.#read()));
      isDone = replies.some((each, index) => each?.version === afters[index]?.version);
    }
    for (const [index, group] of groups.entries())
      group.#accept(isDone ? (afters[index] ?? null) : group.#state, replies[index] ?? null);
  }

  /** Reads and checks it. */
  async check(): Promise<void> {
    this.mustBe(await this.#read());
  }

  /** Checks a reply against the expected state. */
  mustBe(fields: ReplyFields | null): void {
    this.#accept(this.#state, fields);
  }

  /** The same, and stores new values. */
  #accept(state: GroupState | null, fields: ReplyFields | null): void {
    if (!state || !fields) {
      expect({ [this.providedId]: fields }).toEqual({ [this.providedId]: state });
      this.#state = null;
      return;
    }
    const known = Object.entries(state).filter(([key, value]) => value !== undefined && key in fields);
    expect(fields).toEqual({ ...fields, ...Object.fromEntries(known) });
    this.#state = { ...state, ...fields };
    if (state.token !== undefined) return;
    expect(fields.token).toMatch(/^ugt_/);
    expect(this.#tokens).not.toContain(fields.token);
    this.#tokens.push(String(fields.token));
  }

  #present(): GroupState {
    if (!this.#state) throw new Error(`${this.providedId} does not exist.`);
    return this.#state;
  }

  async #mutate(query: string, input: object, field: string): Promise<ReplyFields | null> {
    const { userGroup, userErrors } = (await this.client.graphql(query, { input }))[field];
    expect(userErrors).toEqual([]);
    return fieldsOfGraphql(userGroup);
  }

  async #rotateOnce(
    token: string | undefined,
    api: "rest" | "graphql",
  ): Promise<ReplyFields | null | "lost"> {
    if (api === "rest") {
      const reply = await this.client.rest("POST", { current_token: token });
      return reply.status === 404 ? "lost" : fieldsOfRest(succeeded(reply));
    }
    const { rotateUserGroupToken } = await this.client.graphql(ROTATE, { input: { by: { token } } });
    const { userGroup, userErrors } = rotateUserGroupToken;
    if (userErrors.length === 0) return fieldsOfGraphql(userGroup);
    expect(userErrors).toMatchObject([{ code: "USER_GROUP_NOT_FOUND" }]);
    return "lost";
  }

  async #change(after: GroupState | null, send: () => Promise<ReplyFields | null>): Promise<void> {
    const before = this.#state;
    const fields = await repliesOf([send()]);
    if (fields.length === 0) await this.#findOut([before, after]);
    else this.#accept(after, fields[0] ?? null);
  }

  /** Reads which of these states it is in. */
  async #findOut(states: readonly (GroupState | null)[]): Promise<void> {
    const fields = await this.#read();
    this.#accept(states.find((state) => state?.version === fields?.version) ?? null, fields);
  }

  async #read(): Promise<ReplyFields | null> {
    const variables = { by: { providedId: this.providedId } };
    return fieldsOfGraphql((await retryUntilReply(() => this.client.graphql(READ, variables))).userGroup);
  }
}

function succeeded({ status, body }: RestReply): unknown {
  expect({ status, body }).toMatchObject({ status: 200, body: { success: 1 } });
  return body;
}
