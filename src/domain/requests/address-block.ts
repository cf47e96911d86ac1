import { isIPv6 } from "node:net";

/** Of a longer text, which is no address, the rest does not matter. */
const MAX_CHARACTERS = 45;

/**
 * The block of addresses that counts as one client: an IPv4 address, or the /64 of an IPv6 address, of which a client has all.
 * @param address as the connection or a trusted proxy tells it, perhaps with a port or a zone
 */
export function toAddressBlock(address: string): string {
  const [, bracketed, dotted] =
    /^\[(.+)\](?::\d+)?$|^(?:::ffff:)?(\d+(?:\.\d+){3})(?::\d+)?$/i.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  const bare = (bracketed ?? address).replace(/%.*$/, "");
  return isIPv6(bare) ? `${firstGroups(bare).join(":")}::/64` : bare.slice(0, MAX_CHARACTERS);
}

function firstGroups(address: string): string[] {
  // What IPv4 address may stand at the end, it is not in the first half.
  const [head = "", tail] = address.replace(/\d+(?:\.\d+){3}$/, "0:0").split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const omitted = Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...omitted, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
