import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { OperatorError } from "../../domain/shared/operator-error.js";

/** Checks that the server can listen on the address. @throws OperatorError if it cannot */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host, port });
    await once(probe, "listening");
  } catch (error) {
    throw toListenError(error, host, port);
  }
  probe.close();
  await once(probe, "close");
}

/** Converts listen errors to OperatorErrors; returns other errors unchanged. */
export function toListenError(error: unknown, host: string, port: number): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  if (error.syscall === "getaddrinfo") {
    return new OperatorError(`Cannot resolve HOST ${host}: ${error.message}.`, { cause: error });
  }
  if (error.syscall !== "listen") return error;
  const code = "code" in error ? error.code : undefined;
  return new OperatorError(
    message(code, host, port) ?? `Cannot listen on ${host}:${port}: ${error.message}.`,
    {
      cause: error,
    },
  );
}

function message(code: unknown, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `PORT ${port} on ${host} is in use. Stop the other program or set another PORT.`;
    case "EACCES":
      return `PORT ${port} requires privileges that this process does not have. Set another PORT.`;
    case "EADDRNOTAVAIL":
      return `HOST ${host} is not an address of this machine.`;
    default:
      return undefined;
  }
}

/** Returns the base URL of a server that listens on this address. */
export function baseUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string")
    throw new Error("The server does not listen on a port.");
  // Clients cannot connect to a wildcard address.
  const host = address.address.replace(/^0\.0\.0\.0$/, "127.0.0.1").replace(/^::$/, "::1");
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
