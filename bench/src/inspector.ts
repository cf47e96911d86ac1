import { once } from "node:events";
import { WebSocket } from "undici";

/** What a process says of itself at one moment. */
export interface ProcessSample {
  readonly rssMb: number;
  readonly heapMb: number;
  /** The heap as the last collection of all garbage has left it. */
  readonly liveHeapMb: number;
  /** Of the event loop since the last sample, in milliseconds; a millisecond of it is the timer's own. */
  readonly delay: Delay;
  /** What keeps the event loop alive, by its kind. */
  readonly resources: Readonly<Record<string, number>>;
}

export interface Delay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** How a value of the process comes back. */
interface Remote {
  readonly result: { readonly value?: unknown; readonly objectId?: string };
  readonly exceptionDetails?: object;
}

const PREPARE = `(() => {
  const { constants, monitorEventLoopDelay, PerformanceObserver } = process.getBuiltinModule("node:perf_hooks");
  const heapMb = () => process.memoryUsage().heapUsed / 2 ** 20;
  let liveHeapMb = heapMb();
  new PerformanceObserver((list) => {
    const isMajor = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
    if (list.getEntries().some(isMajor)) liveHeapMb = heapMb();
  }).observe({ type: "gc" });
  const open = () => { const histogram = monitorEventLoopDelay({ resolution: 1 }); histogram.enable(); return histogram; };
  const read = (histogram) => {
    const ms = (nanoseconds) => nanoseconds / 1e6;
    const delay = { p50: ms(histogram.percentile(50)), p99: ms(histogram.percentile(99)), max: ms(histogram.max) };
    histogram.reset();
    return delay;
  };
  const since = open();
  const whole = open();
  globalThis.inspected = {
    sample() {
      const resources = {};
      for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
      const rssMb = process.memoryUsage.rss() / 2 ** 20;
      return { rssMb, heapMb: heapMb(), liveHeapMb, delay: read(since), resources };
    },
    readWhole: () => read(whole),
  };
})()`;

/** Under which the process remembers what was asked for, until that is released. */
const GROUP = "asked";

/** Where Node says that its inspector listens. */
const ADDRESS = /Debugger listening on (ws:\S+)/;

/**
 * Looks into a Node process from outside, over the inspector that `--inspect=127.0.0.1:0` opens: the process runs as it always does,
 * with nothing of ours in it but what watches its event loop and its garbage.
 */
export class Inspector {
  readonly #socket: WebSocket;
  /** Takes the answer to each call that is under way; nothing when the process has gone. */
  readonly #waiting = new Map<number, (answer: string | undefined) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id }: { id: number } = JSON.parse(data);
      this.#waiting.get(id)?.(data);
    });
    socket.addEventListener("close", () => {
      for (const answer of this.#waiting.values()) answer(undefined);
    });
  }

  /** @param stderr what the process has written so far */
  static async open(stderr: string): Promise<Inspector> {
    const [, address] = ADDRESS.exec(stderr) ?? [];
    if (address === undefined) throw new Error(`The inspector did not start: ${stderr}`);
    const socket = new WebSocket(address);
    await once(socket, "open");
    const inspector = new Inspector(socket);
    await inspector.#evaluate(PREPARE);
    return inspector;
  }

  async sample(): Promise<ProcessSample> {
    return this.#value("inspected.sample()");
  }

  /** The delay of the event loop since this was last asked. */
  async readDelay(): Promise<Delay> {
    return this.#value("inspected.readWhole()");
  }

  async collectGarbage(): Promise<void> {
    await this.#call("HeapProfiler.collectGarbage", {});
  }

  /**
   * Counts the objects that are alive, once garbage is collected.
   * @param prototype an expression; objects that inherit from it count, too
   */
  async countObjects(prototype: string): Promise<number> {
    const { result } = await this.#evaluate(prototype, false);
    const { objects } = await this.#call<{ objects: { objectId: string } }>("Runtime.queryObjects", {
      prototypeObjectId: result.objectId,
      objectGroup: GROUP,
    });
    const { result: count } = await this.#call<Remote>("Runtime.callFunctionOn", {
      objectId: objects.objectId,
      functionDeclaration: "function () { return this.length; }",
      returnByValue: true,
    });
    await this.#call("Runtime.releaseObjectGroup", { objectGroup: GROUP });
    return Number(count.value);
  }

  close(): void {
    this.#socket.close();
  }

  async #value<Value>(expression: string): Promise<Value> {
    const { result } = await this.#evaluate(`JSON.stringify(${expression})`);
    return JSON.parse(String(result.value));
  }

  async #evaluate(expression: string, returnByValue = true): Promise<Remote> {
    const params = { expression, returnByValue, objectGroup: GROUP };
    const remote = await this.#call<Remote>("Runtime.evaluate", params);
    if (remote.exceptionDetails) throw new Error(JSON.stringify(remote.exceptionDetails));
    return remote;
  }

  #call<Result>(method: string, params: object): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (answer) => {
        this.#waiting.delete(id);
        if (answer === undefined) return reject(new Error("The inspected process has exited."));
        const { result, error } = JSON.parse(answer);
        return error ? reject(new Error(`${method}: ${JSON.stringify(error)}`)) : resolve(result);
      });
    });
  }
}
