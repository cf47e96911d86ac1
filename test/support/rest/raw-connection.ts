import { connect } from "node:net";

/**
 * Sends bytes over a raw connection.
 * @param parts written one after the other, each once the previous one is flushed, until the server closes the connection
 * @returns everything received until the server closes it, and the number of bytes sent
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
      // Many tests expect to be disconnected in the middle of a request.
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
