import { BlockList, isIPv4, isIPv6 } from "node:net";
import { invalidField } from "../shared/errors.js";
import { requireStorable } from "../shared/text-field.js";

const MAX_URL_LENGTH = 2048;

/**
 * Validates the form of an endpoint URL.
 * @param allowHttp whether unencrypted HTTP is allowed
 * @returns the normalized URL: unusual number notations become IP addresses
 * @throws DomainError `invalid_field`
 */
export function parseWebhookUrl(text: unknown, allowHttp: boolean): string {
  const field = ["url"];
  if (typeof text !== "string") throw invalidField(field, "must be a string");
  requireStorable(text, field);
  if (text.length > MAX_URL_LENGTH)
    throw invalidField(field, `must be at most ${MAX_URL_LENGTH} characters long`);
  const schemes = allowHttp ? ["https:", "http:"] : ["https:"];
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !schemes.includes(url.protocol)) {
    const rule = `must be a URL that starts with ${schemes.map((s) => `${s}//`).join(" or ")}`;
    throw invalidField(
      field,
      allowHttp ? rule : `${rule} (for development, WEBHOOK_ALLOW_PRIVATE=true allows http://)`,
    );
  }
  if (url.username !== "" || url.password !== "")
    throw invalidField(field, "must not contain a user name or password");
  url.hash = "";
  return url.href;
}

/** IPv4 networks outside the public Internet (IANA special-purpose address registry), plus Azure's wire server. */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Azure's metadata and wire server, which has a public address.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Only assigned global unicast IPv6 addresses are public, except for these networks. */
const GLOBAL_IPV6 = ["2000::", 3] as const;
const SPECIAL_IPV6 = [
  // Teredo, benchmarking, ORCHID and other protocol assignments; documentation; 6to4, which embeds an IPv4 address; AS112.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
] as const;
/** IPv6 addresses that embed an IPv4 address (mapped and NAT64) are public if that address is. */
const IPV4_IN_IPV6 = ["::ffff:", "64:ff9b::"] as const;

const special4 = new BlockList();
const special6 = new BlockList();
const global6 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) {
  special4.addSubnet(network, prefix);
  for (const embedding of IPV4_IN_IPV6) special6.addSubnet(`${embedding}${network}`, 96 + prefix, "ipv6");
}
for (const [network, prefix] of SPECIAL_IPV6) special6.addSubnet(network, prefix, "ipv6");
global6.addSubnet(...GLOBAL_IPV6, "ipv6");
for (const embedding of IPV4_IN_IPV6) global6.addSubnet(`${embedding}0.0.0.0`, 96, "ipv6");

/** Returns whether an IP address is on the public Internet, so that requests to it cannot reach internal services (SSRF). */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, "ipv4");
  // Addresses with a zone are link-local.
  if (!isIPv6(address) || address.includes("%")) return false;
  return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
}
