import type { AddressInfo, Server } from "node:net";
import type { Environment } from "../../../src/domain/accounts/environment.js";

/** A peer's settings, passed as JSON in its first argument. */
export interface PeerSettings {
  /** Of the application role if `hasRowScope`, otherwise of the owner role, which is not subject to row-level security. */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  /** Whether each statement runs within the row scope of its tenant, as ours do. */
  readonly hasRowScope: boolean;
  /** The maximum number of database connections. */
  readonly poolSize: number;
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
  /** The tenants by API key. */
  readonly tenants: Readonly<Record<string, Tenant>>;
  /** The reply of peers without a database. */
  readonly constant: object;
  /** The mode of a program with several modes. */
  readonly mode: string;
}

export interface Tenant {
  readonly accountId: number;
  readonly environment: Environment;
}

export function readSettings(): PeerSettings {
  return JSON.parse(process.argv[2] ?? "{}");
}

/** Finds the tenant of an API key in memory. */
export function tenantOf(settings: PeerSettings, authorization: string | undefined): Tenant | undefined {
  const [scheme, key = ""] = (authorization ?? "").split(" ");
  return scheme === "Token" ? settings.tenants[key] : undefined;
}

/** Prints the server's URL. */
export function announce(server: Server): void {
  const address = server.address();
  if (!isPort(address)) throw new Error("The server does not listen on a port.");
  process.stdout.write(`listening on http://127.0.0.1:${address.port}\n`);
}

function isPort(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
