import { randomBytes } from "node:crypto";
import { parseApiKey } from "../../domain/accounts/api-key.js";
import { isObject } from "../../domain/shared/json.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { ContractComparison, type ContractDifference } from "./contract-comparison.js";
import { type ContractReply, sendRequest } from "./contract-reply.js";
import { type ContractCall, contractScript } from "./contract-script.js";
import { ContractSide, type ContractTarget } from "./contract-side.js";

/** The result of one call. */
export interface CheckedCall {
  readonly name: string;
  readonly differences: readonly ContractDifference[];
}

export interface ContractResult {
  readonly calls: readonly CheckedCall[];
  /**
   * External IDs of groups that could not be deleted, or that a reply contained although they lack the check's prefix and may belong to
   * another client; with the base URL of their service.
   */
  readonly left: readonly { readonly url: string; readonly providedId: string }[];
  readonly interrupted: boolean;
}

export interface ContractOptions {
  readonly ours: ContractTarget;
  readonly theirs: ContractTarget;
  /** External ID of a data source that exists in both services. */
  readonly dataSource: string | null;
  readonly signal: AbortSignal;
}

/**
 * Sends the same calls to two services and compares their replies. Finally deletes all groups whose IDs it generated, and no others,
 * whatever the replies contain.
 * @throws OperatorError if a service is unreachable or rejects its key, or if both are the same service and account
 */
export async function checkContract({ signal, ...options }: ContractOptions): Promise<ContractResult> {
  requireTwoAccounts(options.ours, options.theirs);
  const ours = new ContractSide(options.ours);
  const theirs = new ContractSide(options.theirs);
  const prefix = `contract-check-${randomBytes(6).toString("hex")}`;
  const comparison = new ContractComparison();
  const calls: CheckedCall[] = [];
  const left: { url: string; providedId: string }[] = [];
  let failure: unknown;
  try {
    for (const call of contractScript({ prefix, dataSource: options.dataSource })) {
      if (signal.aborted) break;
      const [reply, otherReply] = await awaitBoth(send(ours, call), send(theirs, call));
      if (calls.length === 0) {
        requireKey(ours, reply);
        requireKey(theirs, otherReply);
        requireTwoGroups(reply, otherReply);
      }
      const differences = comparison.compare(reply, otherReply);
      calls.push({ name: call.name, differences });
    }
  } catch (error) {
    failure = error;
  }
  for (const side of [ours, theirs]) {
    for (const providedId of side.groups) {
      if (!providedId.startsWith(prefix) || !(await deleteGroup(side, providedId))) {
        left.push({ url: side.target.url, providedId });
      }
    }
  }
  if (failure instanceof OperatorError && left.length > 0) {
    const groups = left.map(({ url, providedId }) => `${providedId} at ${url}`).join(", ");
    throw new OperatorError(`${failure.message} These groups may not have been deleted: ${groups}.`, {
      cause: failure,
    });
  }
  if (failure !== undefined) throw failure;
  return { calls, left, interrupted: signal.aborted };
}

/** Awaits both calls before it throws the first failure: groups that the other call created must be known for deletion. */
async function awaitBoth<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

async function send(side: ContractSide, call: ContractCall): Promise<ContractReply> {
  const { url } = side.target;
  const request = call.requestOf(side);
  try {
    const reply = await sendRequest(url, request);
    side.recordReply(reply);
    return reply;
  } catch (error) {
    side.recordUnanswered(request);
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`${url} did not reply to "${call.name}": ${reason}.`, {
      cause: error,
      code: "unavailable",
    });
  }
}

const ONE_ACCOUNT =
  "Both API keys belong to the same account of the same service, so that each side would see the groups of the other. Use a key of another account for one of them.";

function requireTwoAccounts(ours: ContractTarget, theirs: ContractTarget): void {
  if (new URL(ours.url).href !== new URL(theirs.url).href) return;
  const account = parseApiKey(ours.key)?.accountId;
  const isSame = account !== undefined && account === parseApiKey(theirs.key)?.accountId;
  if (ours.key === theirs.key || isSame) throw new OperatorError(ONE_ACCOUNT);
}

/** Detects one service behind two addresses: tokens are random, so equal tokens belong to the same group. */
function requireTwoGroups(reply: ContractReply, other: ContractReply): void {
  const token = tokenIn(reply);
  if (token !== undefined && token === tokenIn(other)) throw new OperatorError(ONE_ACCOUNT);
}

function tokenIn({ body }: ContractReply): unknown {
  const group = isObject(body) ? body["user_group"] : undefined;
  return isObject(group) ? group["token"] : undefined;
}

function requireKey({ target }: ContractSide, { status }: ContractReply): void {
  if (status === 401 || status === 403) {
    throw new OperatorError(
      `${target.url} rejected the API key with status ${status}. Use a key that is allowed to create groups.`,
    );
  }
}

/** Statuses that mean that a group does not exist: an ID without a name is not enough to create it. Other errors are inconclusive. */
const ABSENT_STATUSES = [400, 404, 422];

/** @returns true if the group no longer exists */
async function deleteGroup(side: ContractSide, providedId: string): Promise<boolean> {
  const call = (name: string, method: string, body: object): ContractCall => ({
    name,
    requestOf: ({ target }) => ({
      method,
      path: "/api/user",
      headers: { authorization: `Token ${target.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const deletion = () =>
    send(side, call("cleanup: DELETE", "DELETE", { current_token: side.tokenOf(providedId) }));
  try {
    if (isSuccess(await deletion())) return true;
    // The group is already deleted, or has a token that no reply contained.
    const found = await send(side, call("cleanup: GET", "GET", { user_group_id: providedId }));
    return ABSENT_STATUSES.includes(found.status) || (isSuccess(found) && isSuccess(await deletion()));
  } catch (error) {
    if (error instanceof OperatorError) return false;
    throw error;
  }
}

function isSuccess({ status }: ContractReply): boolean {
  return status >= 200 && status < 300;
}
