import { BlockList, isIP, isIPv6 } from "node:net";

/** Maximum length of an IPv6 address; longer text is not an address and is truncated. */
const MAX_CHARACTERS = 45;

/**
 * Returns the address block that counts as one client: an IPv4 address, or the /64 network of an IPv6 address.
 * @param address as reported by the connection or a trusted proxy, possibly with a port or a zone
 */
export function toAddressBlock(address: string): string {
  const [, bracketed, dotted] =
    /^\[(.+)\](?::\d+)?$|^(?:::ffff:)?(\d+(?:\.\d+){3})(?::\d+)?$/i.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  const bare = (bracketed ?? address).replace(/%.*$/, "");
  return isIPv6(bare) ? `${firstGroups(bare).join(":")}::/64` : bare.slice(0, MAX_CHARACTERS);
}

function firstGroups(address: string): string[] {
  // An embedded IPv4 address is in the last 32 bits, so it never affects the first four groups.
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

/** Creates a block list. @param networks IP addresses and CIDR networks, already validated */
export function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Returns whether the list contains the address; false for invalid addresses, which proxies may forward. */
export function isListed(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
}
