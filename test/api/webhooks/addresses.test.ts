import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import { isPublicAddress, parseWebhookUrl } from "../../../src/domain/webhooks/url.js";
import { WebhookSender } from "../../../src/services/webhooks/attempts.js";
import { WebhookTargets } from "../../../src/services/webhooks/targets.js";
import { startReceiver } from "../../support/webhooks/receiver.js";

const words = (text: string) => text.trim().split(/\s+/);
const SPECIAL = words(`
  0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1
  169.254.169.254 168.63.129.16 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1
  198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255`);
const PUBLIC = words(`
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
  223.255.255.255`);
const PUBLIC_IPV6 = words("2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450::1 2003::1 3ffe::1");
const INVALID = words(`
  :: ::1 0:0:0:0:0:0:0:1 fe80::1 fe80::1%lo febf::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 100::1 2001::1 2001:10::1
  2001:20::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 4000::1 5f00::1 ::ffff:7f00:1 ::FFFF:127.0.0.1
  64:ff9b::7f00:1 1::1 localhost 127.1 0177.0.0.1 2130706433 1.1.1.1/8 [2606:4700::1]`);
const PRIVATE_URLS = words(`
  https://127.0.0.1/ https://127.1/ https://2130706433/ https://0x7f000001/ https://0177.0.0.1/ https://①②⑦.0.0.1/
  https://127.0.0.1./ https://[::1]/ https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/ https://0/
  https://[64:ff9b::10.0.0.1]/ https://[fd00:ec2::254]/ https://169.254.169.254/latest/meta-data/
  https://[0:0:0:0:0:ffff:a9fe:a9fe]/ https://localhost/`);

describe("addresses", () => {
  test.each(SPECIAL)("%s is not public, nor is its embedding in IPv6", (address) => {
    const forms = [
      address,
      `::ffff:${address}`,
      `64:ff9b::${address}`,
      `::${address}`,
      `64:ff9b:1::${address}`,
    ];
    expect(forms.filter(isPublicAddress)).toEqual([]);
  });

  test.each(PUBLIC)("%s is public, also IPv4-mapped and by NAT64", (address) => {
    expect([address, `::ffff:${address}`, `64:ff9b::${address}`].map(isPublicAddress)).toEqual([
      true,
      true,
      true,
    ]);
    // Unassigned or reserved.
    expect(isPublicAddress(`::${address}`)).toBe(false);
  });

  test.each([...INVALID, "", "1.1.1.1 "])("%s is invalid", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(PUBLIC_IPV6)("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("URLs", () => {
  test.each([
    ["http://example.com/hook", "starts with https://"],
    ["ftp://example.com/", "starts with https://"],
    ["file:///etc/passwd", "starts with https://"],
    ["//example.com/", "starts with https://"],
    ["example.com", "starts with https://"],
    ["", "starts with https://"],
    ["https://", "starts with https://"],
    ["https://user@example.com/", "user name or password"],
    ["https://user:secret@example.com/", "user name or password"],
    ["https://:secret@example.com/", "user name or password"],
    [`https://example.com/${"x".repeat(2048)}`, "at most 2048"],
    ["https://example.com/\u0000", "U+0000"],
    [null, "must be a string"],
  ])("%s is rejected", (url, reason) => {
    expect(() => parseWebhookUrl(url, false)).toThrow(reason);
  });

  test("are stored as they are requested", () => {
    expect(parseWebhookUrl("HTTPS://EXAMPLE.com:443/a b?c#d", false)).toBe("https://example.com/a%20b?c");
    expect(parseWebhookUrl("http://example.com", true)).toBe("http://example.com/");
  });

  test.each(PRIVATE_URLS)("%s gets no delivery", async (url) => {
    const outcome = await new WebhookSender(new WebhookTargets({ allowPrivate: false })).send({
      url: parseWebhookUrl(url, false),
      eventId: "event",
      body: "{}",
      secrets: [],
    });
    expect(outcome).toEqual({ kind: "failed", error: "The address is private or reserved." });
  });
});

describe("a host name", () => {
  const address = (text: string): LookupAddress => ({ address: text, family: text.includes(":") ? 6 : 4 });
  const targetsOf = (allowPrivate: boolean, ...answers: string[][]) => {
    const lookups: string[] = [];
    const targets = new WebhookTargets({
      allowPrivate,
      lookup: async (hostname) => {
        lookups.push(hostname);
        return (answers[Math.min(lookups.length, answers.length) - 1] ?? []).map(address);
      },
    });
    return { lookups, targets };
  };
  const webhook = { eventId: "event", body: "{}", secrets: [] };

  test.each([
    [["127.0.0.1"]],
    [["93.184.216.34", "10.0.0.1"]],
    [["2606:4700::1", "::1"]],
    [["::ffff:169.254.169.254"]],
    [[]],
  ])("that resolves to %j is rejected", async (found) => {
    const { targets } = targetsOf(false, found);
    await expect(targets.addressesOf(new URL("https://hooks.example"))).rejects.toThrow(
      "private or reserved",
    );
  });

  test("that resolves only to public addresses is accepted", async () => {
    const { targets, lookups } = targetsOf(false, ["93.184.216.34", "2606:4700::1"]);
    expect(await targets.addressesOf(new URL("https://hooks.example:8443/x"))).toHaveLength(2);
    expect(lookups).toEqual(["hooks.example"]);
  });

  test("is resolved once per attempt, and the connection uses the checked address", async () => {
    const receiver = await startReceiver();
    // A second lookup would no longer return the receiver's address.
    const { targets, lookups } = targetsOf(true, ["127.0.0.1"], ["127.0.0.2"]);
    const url = `http://rebinding.example:${receiver.port}/hook`;
    expect(await new WebhookSender(targets).send({ ...webhook, url })).toMatchObject({ status: 204 });
    expect(lookups).toEqual(["rebinding.example"]);
    expect(receiver.received[0]?.headers).toMatchObject({ host: `rebinding.example:${receiver.port}` });
    expect(await new WebhookSender(targets).send({ ...webhook, url })).toMatchObject({ kind: "failed" });
    expect(lookups).toHaveLength(2);
    expect(receiver.received).toHaveLength(1);
  });

  test("that does not resolve, or not in time, is reported", async () => {
    const fail = Object.assign(new Error("no such name: secret"), { code: "ENOTFOUND" });
    const unknown = new WebhookTargets({ allowPrivate: false, lookup: () => Promise.reject(fail) });
    const url = "https://unknown.example/";
    expect(await new WebhookSender(unknown).send({ ...webhook, url })).toEqual({
      kind: "failed",
      error: "The request failed: ENOTFOUND.",
    });
    const silent = new WebhookTargets({ allowPrivate: false, lookup: () => new Promise(() => undefined) });
    expect(await new WebhookSender(silent, 50).send({ ...webhook, url })).toEqual({
      kind: "failed",
      error: "The receiver did not respond in time.",
    });
  });
});

test("a receiver that never responds times out", async () => {
  const receiver = await startReceiver(() => new Promise(() => undefined));
  const sender = new WebhookSender(new WebhookTargets({ allowPrivate: true }), 100);
  expect(await sender.send({ url: receiver.url, eventId: "event", body: "{}", secrets: [] })).toEqual({
    kind: "failed",
    error: "The receiver did not respond in time.",
  });
});
