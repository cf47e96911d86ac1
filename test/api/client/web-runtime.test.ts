import { expect, test } from "vitest";
import { issueWebhookSecret, webhookHeaders } from "../../../src/domain/webhooks/attempt.js";
import { usePackageClient } from "../../support/clients/package-client.js";
import { runWithWebApis } from "../../support/clients/web-runtime.js";

const fixture = usePackageClient();

const CODE = `
import { createViewer } from "./clients/typescript/src/browser.ts";
import { responseOf, UserGroupsClient, verifyEmbedSession, verifyWebhook } from "./clients/typescript/src/index.ts";

export default async ({ baseUrl, apiKey, audience, webhook }) => {
  const { userGroups } = new UserGroupsClient({ baseUrl, apiKey });
  const created = await userGroups.getOrCreate({ providedId: "edge", name: "One" });
  const { token } = await userGroups.createEmbedSession({ providedId: "edge", variables: { region: "ÄU" } });
  const { variables } = await verifyEmbedSession(token, { keySetUrl: baseUrl + "/.well-known/jwks.json", audience });
  const seen = [];
  for await (const { kind, userGroup } of userGroups.watch({ providedId: "edge" })) {
    seen.push([kind, userGroup.name]);
    if (kind !== "CURRENT") break;
    await userGroups.update({ providedId: "edge", name: "Two" });
  }
  const shown = await createViewer({ url: baseUrl, getSession: () => ({ token }) }).read();
  const { type } = await verifyWebhook(webhook);
  const globals = [typeof process, typeof Buffer, typeof setImmediate, typeof globalThis.process];
  const requestId = responseOf(created)?.requestId;
  return { isNew: created.isNew, requestId, variables, seen, shown: [shown.name, shown.variables], type, globals };
};`;

test("client, viewer and verifications run where there are Web APIs only", async () => {
  const { service, keys, account } = fixture();
  const secret = issueWebhookSecret();
  const body = JSON.stringify({ type: "user_group.created", data: {} });
  const result = await runWithWebApis(CODE, {
    baseUrl: service.url,
    apiKey: keys.admin,
    audience: `${account.name}/Customer`,
    webhook: { body, headers: webhookHeaders("e-1", body, [secret], new Date()), secret },
  });
  expect(result).toEqual({
    isNew: true,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    variables: { region: "ÄU" },
    seen: [
      ["CURRENT", "One"],
      ["UPDATED", "Two"],
    ],
    shown: ["Two", { region: "ÄU" }],
    type: "user_group.created",
    globals: Array(4).fill("undefined"),
  });
});
