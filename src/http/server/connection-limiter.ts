import type { Server } from "node:http";
import type { BlockList, Socket } from "node:net";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { isListed, toBlockList } from "../../domain/requests/block-list.js";
import { DomainError } from "../../domain/shared/errors.js";
import { CountsByName } from "../../services/requests/counts-by-name.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { ConnectionLimits } from "./connection-limits.js";
import type { Connections } from "./connections.js";
import { sendRawReply } from "./raw-reply.js";

const RETRY_AFTER_S = 5;
/** Maximum refused connections that are kept open to read their reply; further ones are closed without one. */
const MAX_REFUSED_OPEN = 100;
const REFUSALS = {
  process: new DomainError("unavailable", "Too many connections are open. Try again later.", {
    retryAfter: RETRY_AFTER_S,
  }),
  address: new DomainError(
    "rate_limited",
    "Too many connections are open from this address. Close some, or send requests one after the other over the same connection.",
    { retryAfter: RETRY_AFTER_S },
  ),
} as const;

/**
 * Rejects connections beyond the limits: with 503 for the process limit, with 429 for the limit per address.
 * @param connections must already contain a connection when it is checked
 * @param limits `trustedProxies` are addresses and networks without a limit per address
 */
export function limitConnections(
  server: Pick<Server, "on">,
  connections: Connections,
  limits: ConnectionLimits & { readonly trustedProxies: readonly string[] },
  { refusedConnections }: Metrics,
): void {
  const { maxConnections, maxConnectionsPerAddress, trustedProxies } = limits;
  const proxies = toBlockList(trustedProxies);
  const openByAddress = new CountsByName();
  let open = 0;
  let refusedOpen = 0;

  server.on("connection", (socket: Socket) => {
    const address = addressOf(socket, proxies);
    const reason = reasonToRefuse(address);
    if (reason) refuse(socket, reason);
    else admit(socket, address);
  });

  function reasonToRefuse(address: string | undefined): keyof typeof REFUSALS | undefined {
    if (open >= maxConnections) return "process";
    if (address === undefined) return undefined;
    return openByAddress.of(address) >= maxConnectionsPerAddress ? "address" : undefined;
  }

  function admit(socket: Socket, address: string | undefined): void {
    open += 1;
    if (address !== undefined) openByAddress.add(address, 1);
    socket.once("close", () => {
      open -= 1;
      if (address !== undefined) openByAddress.add(address, -1);
    });
  }

  function refuse(socket: Socket, reason: keyof typeof REFUSALS): void {
    refusedConnections.inc({ limit: reason });
    const connection = connections.of(socket);
    // Requests that still arrive over it are not served.
    if (connection) connection.endedAt = performance.now();
    if (refusedOpen >= MAX_REFUSED_OPEN) {
      socket.destroy();
      return;
    }
    refusedOpen += 1;
    socket.once("close", () => {
      refusedOpen -= 1;
    });
    sendRawReply(socket, REFUSALS[reason]);
  }
}

/** @returns undefined for a trusted proxy and for a closed connection */
function addressOf({ remoteAddress }: Socket, proxies: BlockList): string | undefined {
  if (remoteAddress === undefined || isListed(proxies, remoteAddress)) return undefined;
  return toAddressBlock(remoteAddress);
}
