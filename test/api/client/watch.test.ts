import { describe, expect, test } from "vitest";
import {
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  UnexpectedReplyError,
  type UserGroupEvent,
  UserGroupsClient,
} from "../../../clients/typescript/src/index.js";
import { usePackageClient } from "../../support/clients/package-client.js";
import { type Answer, cutOff, reply, startScriptedServer } from "../../support/clients/scripted-server.js";

const fixture = usePackageClient();
const WATCH = `subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind userGroup { name } } }`;

async function create(providedId: string) {
  const { userGroups } = fixture().client;
  const { token } = await userGroups.getOrCreate({ providedId, name: "One" });
  const events = userGroups.watch({ providedId });
  const next = async () => summarize(await events.next());
  const rename = (name: string) => userGroups.update({ providedId, name });
  return { token, events, next, rename };
}

function summarize({ done, value }: IteratorResult<UserGroupEvent, void>): string {
  return done ? "over" : `${value.kind} ${value.userGroup?.name}`;
}

describe("a watch", () => {
  test("yields the group, then each change until it is deleted", async () => {
    const { client } = fixture();
    const { token, events, next, rename } = await create("watched");
    expect(await next()).toBe("CURRENT One");
    await rename("Two");
    expect(await next()).toBe("UPDATED Two");
    const rotated = await client.userGroups.rotateToken({ currentToken: token });
    const { value } = await events.next();
    expect(value).toMatchObject({ kind: "TOKEN_ROTATED", userGroup: { token: rotated.token } });
    await client.userGroups.delete({ currentToken: rotated.token });
    expect(await next()).toBe("DELETED undefined");
    expect(await next()).toBe("over");
  });

  test("uses no connection of the calls, and ends when the client is closed", async () => {
    const { userGroups } = fixture().client;
    await userGroups.getOrCreate({ providedId: "beside", name: "One" });
    const client = fixture().newClient({ maxConnections: 1, timeoutMs: 2_000, maxRetries: 0 });
    const watches = [1, 2].map(() => client.userGroups.watch({ providedId: "beside" }));
    for (const events of watches) expect(summarize(await events.next())).toBe("CURRENT One");
    await client.userGroups.update({ providedId: "beside", name: "Two" });
    for (const events of watches) expect(summarize(await events.next())).toBe("UPDATED Two");
    client.close();
    for (const events of watches)
      await expect(events.next()).rejects.toThrow("The client is closed. Create a new one.");
  });

  test("continues after a lost connection, with the changes since", async () => {
    const { service } = fixture();
    const { next, rename, events } = await create("broken");
    expect(await next()).toBe("CURRENT One");
    for (const name of ["Two", "Three"]) {
      const following = next();
      service.server.server.closeAllConnections();
      await rename(name);
      // It may have reconnected before the change, or two changes may have been read as one state.
      const possible = [`CURRENT ${name}`, "CURRENT One", "CURRENT Two again", "UPDATED Two again"];
      expect(possible).toContain(await following);
      await rename(`${name} again`);
      let event = await next();
      while (event !== `UPDATED ${name} again`) event = await next();
    }
    await events.return();
  });

  test("reports that the group was deleted while the connection was lost", async () => {
    const { service, client } = fixture();
    const { next, token } = await create("deleted meanwhile");
    expect(await next()).toBe("CURRENT One");
    const following = next();
    await client.userGroups.delete({ currentToken: token });
    service.server.server.closeAllConnections();
    expect(await following).toBe("DELETED undefined");
  });

  test("ends on a permanent error", async () => {
    const { account, newClient, service, client } = fixture();
    await create("revoked");
    await expect(client.userGroups.watch({ providedId: "nobody" }).next()).rejects.toThrow(NotFoundError);
    const { secret, id } = await account.createKey({ scope: "read" });
    const events = newClient({ apiKey: secret }).userGroups.watch({ providedId: "revoked" });
    expect(summarize(await events.next())).toBe("CURRENT One");
    const following = expect(events.next()).rejects.toThrow(AuthenticationError);
    await service.services.accounts.revokeKey(id);
    await following;
  });

  test("ends when its signal is aborted", async () => {
    const { userGroups } = fixture().client;
    await create("left");
    const abort = new AbortController();
    const events = userGroups.watch({ providedId: "left" }, { signal: abort.signal });
    await events.next();
    const reason = new Error("flushAt");
    setTimeout(() => abort.abort(reason), 20);
    await expect(events.next()).rejects.toBe(reason);
  });
});

test("a custom subscription yields its data and reports when it is established", async () => {
  const { client } = fixture();
  const { rename } = await create("own subscription");
  let connected = 0;
  const onConnect = () => {
    connected += 1;
    void rename("Two");
  };
  const by = { providedId: "own subscription" };
  const state = (kind: string, name: string) => ({ userGroupChanged: { kind, userGroup: { name } } });
  const events = client.subscribe(WATCH, { by }, { onConnect });
  expect((await events.next()).value).toEqual(state("CURRENT", "One"));
  expect((await events.next()).value).toEqual(state("UPDATED", "Two"));
  await events.return();
  expect(connected).toBe(1);
});

describe("a subscription to another server", () => {
  const clientOf = (baseUrl: string) =>
    new UserGroupsClient({ baseUrl, apiKey: `ugk_live_${"k".repeat(40)}`, maxRetries: 1 });
  const stream =
    (text: string): Answer =>
    (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(text);
    };
  const event = (data: unknown) => `event: next\ndata: ${JSON.stringify(data)}\n\n`;

  test.each([
    ["that is not an event stream", reply(200, { data: {} })],
    ["with an event that is not JSON", stream("event: next\ndata: {\n\n")],
    ["with an unexpected event", stream(event([1]))],
  ])("%s, fails", async (_name, answer) => {
    const { url, seen } = await startScriptedServer(answer);
    await expect(clientOf(url).subscribe(WATCH).next()).rejects.toThrow(UnexpectedReplyError);
    expect(seen).toHaveLength(1);
  });

  test("reads events however they are chunked, until the stream completes", async () => {
    const text = `:\n\n${event({ data: { a: "ä" } })}${event({ data: { a: 2 } })}event: complete\n\n`;
    const { url } = await startScriptedServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      const bytes = Buffer.from(text);
      const send = (index: number) => {
        if (index === bytes.length) response.end();
        else response.write(bytes.subarray(index, index + 1), () => setImmediate(send, index + 1));
      };
      send(0);
    });
    const seen = [];
    for await (const data of clientOf(url).subscribe(WATCH)) seen.push(data);
    expect(seen).toEqual([{ a: "ä" }, { a: 2 }]);
  });

  test("reconnects after a temporary failure, and gives up when nobody answers", async () => {
    const failed = event({ data: null, errors: [{ message: "No.", extensions: { code: "UNAVAILABLE" } }] });
    const { url, seen } = await startScriptedServer(
      stream(failed),
      cutOff,
      stream(event({ data: { a: 1 } })),
      cutOff,
    );
    const events = clientOf(url).subscribe(WATCH);
    expect(await events.next()).toEqual({ done: false, value: { a: 1 } });
    await expect(events.next()).rejects.toThrow(ConnectionError);
    expect(seen.map(({ headers }) => headers.accept)).toEqual(seen.map(() => "text/event-stream"));
    expect(seen).toHaveLength(5);
  });
});
