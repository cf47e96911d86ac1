import { connect } from "node:net";

/**
 * Sends bytes over a bare connection.
 * @param parts written one after the other, each once the one before is on its way, until the server closes the connection
 * @returns everything that comes back until the server closes it, and how many bytes it could be sent
 */
export async function exchange(
  url: string,
  parts: Iterable<string | Buffer>,
): Promise<{ readonly answer: string; readonly sent: number }> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let answer = "";
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    socket
      .on("data", (chunk) => {
        answer += chunk.toString("latin1");
      })
      // To be cut off in the middle of a request is what many tests wait for.
      .on("error", () => undefined)
      .on("end", () => {
        isOpen = false;
      })
      .on("close", () => {
        isOpen = false;
        resolve();
      });
  });
  for (const part of parts) {
    if (!isOpen) break;
    if (!socket.write(part)) {
      await Promise.race([closed, new Promise((resolve) => socket.once("drain", resolve))]);
    }
  }
  await closed;
  return { answer, sent: socket.bytesWritten };
}
