import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "undici";

/** How often the functions of each module were called; the first range is the whole function. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly [{ readonly count: number }];
    }[];
  }[];
}

/** A function: the path of its module, and its name. */
type EnteredFunction = readonly [file: string, name: string];

const SETTLE_MS = 50;

/**
 * Finds the functions that each run of some work enters in a process that runs with `--inspect=127.0.0.1:0`; initializers of fields are
 * not counted.
 * @param stderr the output of the process so far, with the address of its inspector
 * @param directory of the modules
 */
export async function findEnteredFunctions(
  stderr: string,
  directory: string,
  runs: number,
  work: () => Promise<unknown>,
): Promise<EnteredFunction[]> {
  const socket = new WebSocket(/Debugger listening on (ws:\S+)/.exec(stderr)?.[1] ?? "");
  await once(socket, "open");
  const call = async (method: string, params = {}) => {
    socket.send(JSON.stringify({ id: 1, method, params }));
    const [{ data }] = await once(socket, "message");
    return JSON.parse(data).result;
  };
  await call("Profiler.enable");
  await call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  for (let run = 0; run < runs; run += 1) await work();
  // What follows the last reply, such as its log line.
  await sleep(SETTLE_MS);
  const { result }: Coverage = await call("Profiler.takePreciseCoverage");
  socket.close();
  return result
    .filter(({ url }) => url.includes(directory))
    .flatMap(({ url, functions }) =>
      functions
        // Timers run less often than the work.
        .filter(({ functionName, ranges: [whole] }) => !functionName.startsWith("<") && whole.count >= runs)
        .map(({ functionName }) => [url.slice(url.indexOf(directory) + directory.length), functionName]),
    );
}
