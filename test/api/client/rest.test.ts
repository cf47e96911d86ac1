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
      userGroupId: "life",
      name: "Acme",
      properties: { region_name: "EU", nested: { a_b: [1] } },
      mapping: { sales_db: "sales" },
    };
    const created = await userGroups.getOrCreate(input);
    expect(created).toEqual({
      isNew: true,
      teamId: expect.any(Number),
      token: expect.stringMatching(/^ugt_/),
      name: "Acme",
      providedId: "life",
      properties: { region_name: "EU", nested: { a_b: [1] } },
      version: 1,
    });
    const found = await userGroups.getOrCreate({ userGroupId: "life" });
    expect(found).toEqual({ ...created, isNew: false });
    expect((await userGroups.get({ providedId: "life" }))?.mapping).toMatchObject([
      { schemaId: "sales_db", dataSource: { providedId: "sales" } },
    ]);
  });

  test("is updated in the given fields, and cleared by null", async () => {
    const { userGroups } = fixture().client;
    const { token, teamId } = await userGroups.getOrCreate({
      userGroupId: "changed",
      name: "Old",
      properties: { a: 1 },
    });
    const renamed = await userGroups.update({ userGroupId: "changed", name: "New", properties: undefined });
    expect(renamed).toEqual({
      teamId,
      token,
      name: "New",
      providedId: "changed",
      properties: { a: 1 },
      apiEnvironmentTag: "Customer",
      version: 2,
    });
    const cleared = await userGroups.update({ userGroupId: "changed", properties: null });
    expect(cleared.properties).toBeNull();
  });

  test.each([undefined, 1])("is updated by a merge patch, with the expected version %s", async (version) => {
    const { userGroups } = fixture().client;
    const userGroupId = `patched ${version}`;
    await userGroups.getOrCreate({ userGroupId, name: "P", properties: { a: 1, b: { c: 1, d: 2 } } });
    const propertiesPatch = { b: { c: null }, e_f: "x" };
    const update = (more = {}) =>
      userGroups.update({ userGroupId, propertiesPatch, expectedVersion: version, ...more });
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
    const { token } = await userGroups.getOrCreate({ userGroupId: "ends", name: "Ends" });
    const rotated = await userGroups.rotateToken({ currentToken: token });
    expect(rotated).toMatchObject({ name: "Ends", providedId: "ends", apiEnvironmentTag: "Customer" });
    expect(rotated.token).not.toBe(token);
    await expect(userGroups.delete({ currentToken: token })).rejects.toThrow(NotFoundError);
    await userGroups.delete({ currentToken: rotated.token, userGroupId: "ends" });
    expect(await userGroups.get({ providedId: "ends" })).toBeNull();
  });
});

test("a change whose reply was lost is applied once and reported", async () => {
  const { client, newClient, service } = fixture();
  const lossy = newClient({ baseUrl: await startLossyProxy(service.url) });
  const created = await lossy.userGroups.getOrCreate({ userGroupId: "lost", name: "Lost" });
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
    const creation = userGroups.getOrCreate({ userGroupId: "x".repeat(256), name: "X" });
    await expect(creation).rejects.toThrow(InvalidRequestError);
    await expect(creation).rejects.toMatchObject({
      name: "InvalidRequestError",
      code: "invalid_field",
      status: 400,
      field: "userGroupId",
      fields: [{ field: "userGroupId", message: "user_group_id must be at most 255 characters long." }],
      requestId: expect.stringMatching(ID),
    });
    await expect(userGroups.update({ userGroupId: "", name: "", mapping: { s: "" } })).rejects.toMatchObject({
      field: "userGroupId",
      fields: [{ field: "userGroupId" }, { field: "name" }, { field: "mapping.s" }],
    });
    const mapped = userGroups.getOrCreate({ userGroupId: "m", name: "M", mapping: { my_schema: "nothing" } });
    await expect(mapped).rejects.toMatchObject({
      code: "unknown_data_source",
      status: 422,
      field: "mapping.my_schema",
    });
  });

  test("has a class by which a program can handle it", async () => {
    const { client, newClient, keys } = fixture();
    const { token } = await client.userGroups.getOrCreate({ userGroupId: "classes", name: "C" });
    const stranger = mistyped(keys.admin);
    const reader = newClient({ apiKey: keys.read });
    await expect(client.userGroups.update({ userGroupId: "nobody" })).rejects.toThrow(NotFoundError);
    const mismatch = client.userGroups.delete({ currentToken: token, userGroupId: "another" });
    await expect(mismatch).rejects.toThrow(ConflictError);
    await expect(mismatch).rejects.toMatchObject({ code: "user_group_mismatch", field: "userGroupId" });
    await expect(reader.userGroups.rotateToken({ currentToken: token })).rejects.toThrow(PermissionError);
    const unknown = newClient({ apiKey: stranger }).userGroups.getOrCreate({ userGroupId: "classes" });
    await expect(unknown).rejects.toThrow(AuthenticationError);
  });
});

describe("with a rate limit", () => {
  const limited = usePackageClient({ rateLimits: { maxCost: 1 } });

  test("fails immediately when the wait would exceed its timeouts", async () => {
    const client = limited().newClient({ maxElapsedMs: 2_000 });
    await client.userGroups.getOrCreate({ userGroupId: "limited", name: "L" });
    const refused = client.userGroups.getOrCreate({ userGroupId: "limited" });
    await expect(refused).rejects.toThrow(RateLimitError);
    await expect(refused).rejects.toMatchObject({ code: "rate_limited", status: 429 });
    const { retryAfter } = await refused.catch((error) => error);
    expect(retryAfter).toBeGreaterThan(2);
  });
});
