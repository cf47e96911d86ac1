import { describe, expect, test } from "vitest";
import {
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
} from "../../../clients/typescript/src/index.js";
import { usePackageClient } from "../../support/clients/package-client.js";
import { startLossyProxy } from "../../support/clients/scripted-server.js";
import { mistyped } from "../../support/secrets/secret-search.js";

const fixture = usePackageClient();
const ID = /^[0-9a-f-]{36}$/;

describe("a group", () => {
  test("is created once, then returned unchanged", async () => {
    const { userGroups } = fixture().client;
    const input = {
      providedId: "life",
      name: "Acme",
      properties: { region_name: "EU", nested: { a_b: [1] } },
      mapping: { sales_db: "sales" },
    };
    const created = await userGroups.getOrCreate(input);
    const { mapping, ...fields } = input;
    expect(created).toMatchObject({
      ...fields,
      isNew: true,
      teamId: expect.any(Number),
      token: expect.stringMatching(/^ugt_/),
      mapping: [{ schemaId: "sales_db", dataSource: { providedId: mapping.sales_db } }],
      environment: "CUSTOMER",
      version: 1,
    });
    const found = await userGroups.getOrCreate({ providedId: "life" });
    expect(found).toEqual({ ...created, isNew: false });
    const { isNew: _, ...group } = found;
    expect(await userGroups.get({ providedId: "life" })).toEqual(group);
  });

  test("is updated in the given fields, and cleared by null", async () => {
    const { userGroups } = fixture().client;
    const old = { providedId: "changed", name: "Old", properties: { a: 1 } };
    const { isNew: _, updatedAt: _before, ...created } = await userGroups.getOrCreate(old);
    const renamed = await userGroups.update({ providedId: "changed", name: "New", properties: undefined });
    expect(renamed).toEqual({ ...created, name: "New", version: 2, updatedAt: expect.any(String) });
    const cleared = await userGroups.update({ providedId: "changed", properties: null });
    expect(cleared.properties).toBeNull();
  });

  test.each([undefined, 1])("is updated by a merge patch, with the expected version %s", async (version) => {
    const { userGroups } = fixture().client;
    const providedId = `patched ${version}`;
    await userGroups.getOrCreate({ providedId, name: "P", properties: { a: 1, b: { c: 1, d: 2 } } });
    const propertiesPatch = { b: { c: null }, e_f: "x" };
    const update = (more = {}) =>
      userGroups.update({ providedId, propertiesPatch, expectedVersion: version, ...more });
    expect(await update({ mapping: { charts: "sales" } })).toMatchObject({
      properties: { a: 1, b: { d: 2 }, e_f: "x" },
      version: 2,
    });
    const removed = { propertiesPatch: null, expectedVersion: version && 2 };
    expect(await update(removed)).toMatchObject({ properties: null, version: 3 });
    const both = update({ properties: { a: 1 }, expectedVersion: version && 3 });
    await expect(both).rejects.toMatchObject({ code: "invalid_field", field: "propertiesPatch" });
  });

  test("is rotated and deleted", async () => {
    const { userGroups } = fixture().client;
    const { token } = await userGroups.getOrCreate({ providedId: "ends", name: "Ends" });
    const rotated = await userGroups.rotateToken({ currentToken: token });
    expect(rotated).toMatchObject({ name: "Ends", providedId: "ends", version: 2 });
    expect(rotated.token).not.toBe(token);
    await expect(userGroups.delete({ currentToken: token })).rejects.toThrow(NotFoundError);
    await userGroups.delete({ currentToken: rotated.token, providedId: "ends" });
    expect(await userGroups.get({ providedId: "ends" })).toBeNull();
  });
});

test("a change whose reply was lost is applied once and reported", async () => {
  const { client, newClient, service } = fixture();
  const lossy = newClient({ baseUrl: await startLossyProxy(service.url) });
  const created = await lossy.userGroups.getOrCreate({ providedId: "lost", name: "Lost" });
  expect(created.isNew).toBe(false);
  const rotated = await lossy.userGroups.rotateToken({ currentToken: created.token });
  expect(await client.userGroups.get({ providedId: "lost" })).toMatchObject({
    token: rotated.token,
    version: 2,
  });
  const [upserted] = await lossy.userGroups.upsert([{ providedId: "lost-2", name: "Lost" }]);
  expect(upserted).toMatchObject({ isNew: true, userGroup: { version: 1 } });
  await lossy.userGroups.delete({ currentToken: rotated.token });
  expect(await client.userGroups.get({ providedId: "lost" })).toBeNull();
});

describe("an error", () => {
  test("has the caller's field name, its code and the request ID", async () => {
    const { userGroups } = fixture().client;
    const creation = userGroups.getOrCreate({ providedId: "x".repeat(256), name: "X" });
    await expect(creation).rejects.toThrow(InvalidRequestError);
    await expect(creation).rejects.toMatchObject({
      name: "InvalidRequestError",
      code: "invalid_field",
      status: 200,
      field: "providedId",
      fields: [{ field: "providedId", message: "providedId must be at most 255 characters long." }],
      requestId: expect.stringMatching(ID),
    });
    await expect(userGroups.update({ providedId: "", name: "", mapping: { s: "" } })).rejects.toMatchObject({
      field: "providedId",
      fields: [{ field: "providedId" }, { field: "name" }, { field: "mapping.s" }],
    });
    const mapped = userGroups.getOrCreate({ providedId: "m", name: "M", mapping: { my_schema: "nothing" } });
    await expect(mapped).rejects.toMatchObject({
      code: "unknown_data_source",
      field: "mapping.my_schema",
    });
  });

  test("has a class by which a program can handle it", async () => {
    const { client, newClient, keys } = fixture();
    const { token } = await client.userGroups.getOrCreate({ providedId: "classes", name: "C" });
    const stranger = mistyped(keys.admin);
    const reader = newClient({ apiKey: keys.read });
    await expect(client.userGroups.update({ providedId: "nobody" })).rejects.toThrow(NotFoundError);
    const mismatch = client.userGroups.delete({ currentToken: token, providedId: "another" });
    await expect(mismatch).rejects.toThrow(ConflictError);
    await expect(mismatch).rejects.toMatchObject({ code: "user_group_mismatch", field: "providedId" });
    await expect(reader.userGroups.rotateToken({ currentToken: token })).rejects.toThrow(PermissionError);
    const unreadable = reader.userGroups.getOrCreate({ providedId: "classes" });
    await expect(unreadable).rejects.toThrow(PermissionError);
    await expect(unreadable).rejects.toMatchObject({
      code: "forbidden",
      requestId: expect.stringMatching(ID),
    });
    await expect(reader.userGroups.createEmbedSession({ providedId: "classes" })).rejects.toThrow(
      PermissionError,
    );
    const expiry = client.userGroups.createEmbedSession({ providedId: "classes", expiresIn: 1 });
    await expect(expiry).rejects.toMatchObject({ code: "invalid_field", field: "expiresIn" });
    const unknown = newClient({ apiKey: stranger }).userGroups.getOrCreate({ providedId: "classes" });
    await expect(unknown).rejects.toThrow(AuthenticationError);
  });
});

describe("with a rate limit", () => {
  const limited = usePackageClient({ rateLimits: { maxCost: 1 } });

  test("fails immediately when the wait would exceed its timeouts", async () => {
    const client = limited().newClient({ maxElapsedMs: 2_000 });
    await client.userGroups.getOrCreate({ providedId: "limited", name: "L" });
    const refused = client.userGroups.getOrCreate({ providedId: "limited" });
    await expect(refused).rejects.toThrow(RateLimitError);
    await expect(refused).rejects.toMatchObject({ code: "rate_limited", status: 429 });
    const { retryAfter } = await refused.catch((error) => error);
    expect(retryAfter).toBeGreaterThan(2);
  });
});
