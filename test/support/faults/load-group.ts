import { setTimeout as sleep } from "node:timers/promises";
import type { Data } from "../graphql/graphql-fixture.js";
import { FIELDS, type GroupState, graphqlInput, graphqlView, restBody, restView } from "./group-state.js";
import type { LoadJournal, Outcome } from "./load-journal.js";

/** Retry policy, under the same Idempotency-Key. */
const ATTEMPTS = 30;
const RETRY_MS = 200;

/** One group under load, with its possible states. Operations on it run one after the other. */
export class LoadGroup {
  readonly providedId: string;
  /** Possible states (null: missing): exactly one unless the outcome of a write is unknown. */
  mayBe: readonly (GroupState | null)[] = [null];
  /** The group written in the same transaction: both or neither changed; same index in `mayBe`. */
  partner: LoadGroup | undefined;
  readonly #journal: LoadJournal;
  readonly #key: string;
  #stamp = 0;

  constructor(journal: LoadJournal, key: string, providedId: string) {
    this.#journal = journal;
    this.#key = key;
    this.providedId = providedId;
  }

  /** The state; undefined while uncertain. */
  get state(): GroupState | null | undefined {
    return this.mayBe.length === 1 ? this.mayBe[0] : undefined;
  }

  /**
   * Two concurrent callers create it: one creates it, both get the same group.
   * @param source null for no mapping: a single statement then creates it, batched with others
   */
  async create(source: string | null): Promise<void> {
    const [one, two] = [this.#next(null, source), this.#next(null, source)];
    const operation = `mutation ($input: GetOrCreateUserGroupInput!) {
      getOrCreateUserGroup(input: $input) { isNew userGroup { ${FIELDS} } userErrors { code } }
    }`;
    const [rest, graphql] = await Promise.all([
      this.#journal.rest(this.#key, "GET", restBody(one)),
      this.#journal.graphql(this.#key, operation, { input: graphqlInput(two) }),
    ]);
    const [body, payload] = [rest.data, graphql.data?.getOrCreateUserGroup];
    this.#journal.noteWrite(rest.requestId, this.providedId, body?.new_user_group);
    this.#journal.noteWrite(graphql.requestId, this.providedId, payload?.isNew);
    const answers = [
      ...(body ? [{ isNew: body.new_user_group, mine: one, other: two, group: body.user_group }] : []),
      ...(payload ? [{ isNew: payload.isNew, mine: two, other: one, group: payload.userGroup }] : []),
    ];
    const [first] = answers;
    if (!first) {
      this.mayBe = [null, one, two];
      return;
    }
    const made = { ...(first.isNew ? first.mine : first.other), token: first.group.token };
    for (const { isNew, mine, group } of answers) {
      const { name, token, properties } = group;
      const wanted = { name: made.name, token: made.token, properties: made.properties };
      this.#expect("created", { name, token, properties }, wanted);
      this.#expect("is new", isNew, mine.name === made.name);
    }
    this.mayBe = [made];
  }

  /** Gets it again: it is returned unchanged. */
  async get(state: GroupState): Promise<void> {
    const { data } = await this.#journal.rest(this.#key, "GET", restBody(this.#next(state, state.source)));
    if (data) this.#expectOverRest(data, state, { new_user_group: false });
  }

  async query(state: GroupState | null): Promise<void> {
    const operation = `query ($by: UserGroupBy!) { userGroup(by: $by) { ${FIELDS} } }`;
    const by = { providedId: this.providedId };
    const { data } = await this.#journal.graphql(this.#key, operation, { by });
    if (data) this.#expect("query", data.userGroup, graphqlView(state));
  }

  /** Lists it next to another field; either can fail alone. */
  async list(state: GroupState): Promise<void> {
    const operation = `query ($id: String!) {
      userGroups(first: 2, filter: { providedIds: [$id] }) { totalCount nodes { ${FIELDS} } }
      dataSource(by: { providedId: "sales" }) { name }
    }`;
    const { data } = await this.#journal.graphql(this.#key, operation, { id: this.providedId });
    const userGroups = { totalCount: 1, nodes: [graphqlView(state)] };
    if (data) this.#expect("list", data, { userGroups, dataSource: { name: "Sales database" } });
  }

  /** Reads it as its front end, which can no longer use the previous token. */
  async watch({ token, name, properties }: GroupState, formerToken: string | null): Promise<void> {
    const query = "{ viewer { userGroup { name properties } } }";
    const { data } = await this.#journal.frontEnd(token, query, 200);
    if (data) this.#expect("front end", data.data, { viewer: { userGroup: { name, properties } } });
    await this.#journal.frontEnd(formerToken, query, 401);
  }

  /** Updates it over REST: in one statement, or with its mapping in a transaction. */
  async put(state: GroupState, withMapping: boolean): Promise<void> {
    const next = this.#next(state, withMapping ? otherSource(state) : state.source);
    const body = restBody({ ...next, source: withMapping ? next.source : null });
    const outcome = await this.#journal.rest(this.#key, "PUT", body);
    this.#note(outcome, state, next);
    const api_environment_tag = this.#key.startsWith("ugk_test") ? "Testing" : "Customer";
    if (outcome.data) this.#expectOverRest(outcome.data, next, {}, { api_environment_tag });
  }

  /** Updates it over GraphQL with its version, in a transaction. */
  async update(state: GroupState): Promise<void> {
    const next = this.#next(state, otherSource(state));
    const { providedId, ...changes } = graphqlInput(next);
    const operation = `mutation ($input: UpdateUserGroupInput!) {
      updateUserGroup(input: $input) { userGroup { ${FIELDS} } userErrors { code } }
    }`;
    const input = { by: { providedId }, expectedVersion: state.version, ...changes };
    const outcome = await this.#journal.graphql(this.#key, operation, { input });
    this.#note(outcome, state, next);
    const wanted = { userGroup: graphqlView(next), userErrors: [] };
    if (outcome.data) this.#expect("update", outcome.data.updateUserGroup, wanted);
  }

  async rotate(state: GroupState, overRest: boolean): Promise<void> {
    const next = { ...state, token: null, version: state.version + 1 };
    const operation = `mutation ($input: RotateUserGroupTokenInput!) {
      rotateUserGroupToken(input: $input) { userGroup { token name } userErrors { code } }
    }`;
    const outcome = overRest
      ? await this.#journal.rest(this.#key, "POST", { current_token: state.token })
      : await this.#journal.graphql(this.#key, operation, { input: { by: { token: state.token } } });
    const { data } = outcome;
    const rotated = overRest ? data?.user_group : data?.rotateUserGroupToken.userGroup;
    this.#note(outcome, state, rotated ? { ...next, token: rotated.token } : next);
    if (rotated) this.#expect("rotate", [rotated.name, rotated.token !== state.token], [state.name, true]);
  }

  /** Rotates its token once, with retries until a reply arrives. */
  async rotateForCertain(state: GroupState, overRest: boolean): Promise<void> {
    const next = { ...state, token: null, version: state.version + 1 };
    const idempotencyKey = `${next.name} ${next.version}`.replaceAll(" ", "/");
    const operation = `mutation ($input: RotateUserGroupTokenInput!) {
      rotateUserGroupToken(input: $input) { userGroup { ${FIELDS} } userErrors { code } }
    }`;
    const input = { by: { token: state.token } };
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const outcome = overRest
        ? await this.#journal.rest(this.#key, "POST", { current_token: state.token }, idempotencyKey)
        : await this.#journal.graphql(this.#key, operation, { input }, idempotencyKey);
      const { data } = outcome;
      const rotated = overRest ? data?.user_group : data?.rotateUserGroupToken.userGroup;
      this.#note(outcome, state, rotated ? { ...next, token: rotated.token } : next);
      if (!rotated) {
        await sleep(RETRY_MS);
        continue;
      }
      const { name, token } = rotated;
      this.#expect("rotate for certain", [name, token !== state.token], [state.name, true]);
      return;
    }
  }

  /** Updates it and creates another group in one transaction. */
  async upsertWith(state: GroupState, other: LoadGroup): Promise<void> {
    const [next, made] = [this.#next(state, otherSource(state)), other.#next(null, "sales")];
    const operation = `mutation ($input: UpsertUserGroupsInput!) {
      upsertUserGroups(input: $input) { results { isNew userGroup { ${FIELDS} } } userErrors { code } }
    }`;
    const input = { userGroups: [graphqlInput(next), graphqlInput(made)] };
    const outcome = await this.#journal.graphql(this.#key, operation, { input });
    const { results } = outcome.data?.upsertUserGroups ?? {};
    const token = results?.[1]?.userGroup?.token ?? null;
    this.#note(outcome, state, next);
    other.#note(outcome, null, { ...made, token });
    this.partner = other;
    const wanted = [
      { isNew: false, userGroup: graphqlView(next) },
      { isNew: true, userGroup: graphqlView({ ...made, token }) },
    ];
    if (results) this.#expect("upsert", results, wanted);
  }

  /** Deletes it: in one statement, or with a check of its mapping in a transaction. */
  async delete(state: GroupState, overRest: boolean): Promise<void> {
    const operation = `mutation ($input: DeleteUserGroupInput!) {
      deleteUserGroup(input: $input) { userErrors { code } }
    }`;
    const { providedId, token, source } = state;
    const body = { current_token: token, user_group_id: providedId, data_source_provided_id: source };
    const outcome = overRest
      ? await this.#journal.rest(this.#key, "DELETE", body)
      : await this.#journal.graphql(this.#key, operation, { input: { by: { token } } });
    this.#note(outcome, state, null);
    const wanted = overRest ? { success: 1 } : { deleteUserGroup: { userErrors: [] } };
    if (outcome.data) this.#expect("delete", outcome.data, wanted);
  }

  /** Returns a new state that differs from all previous ones. */
  #next(state: GroupState | null, source: string | null): GroupState {
    this.#stamp += 1;
    return {
      providedId: this.providedId,
      name: `${this.providedId} of ${this.#key.slice(4, 8)}, ${this.#stamp}`,
      properties: { stamp: this.#stamp },
      source,
      token: state?.token ?? null,
      version: (state?.version ?? 0) + 1,
    };
  }

  #note({ data, requestId, replayed }: Outcome, before: GroupState | null, after: GroupState | null): void {
    this.mayBe = data ? [after] : [before, after];
    this.#journal.noteWrite(requestId, this.providedId, data ? !replayed : undefined);
  }

  #expectOverRest(data: Data, state: GroupState, top: object, more: object = {}): void {
    const { team_id, ...user_group } = data.user_group;
    const wanted = { success: 1, ...top, user_group: { ...restView(state), ...more } };
    this.#expect("REST", { ...data, user_group }, wanted);
  }

  #expect(what: string, actual: unknown, wanted: unknown): void {
    this.#journal.expect(`${this.providedId}: ${what}`, actual, wanted);
  }
}

function otherSource({ source }: GroupState): string {
  return source === "sales" ? "support" : "sales";
}
