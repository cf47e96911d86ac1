const REDRAW_MS = 100;
const BAR_CELLS = 24;

/** The subset of stderr that a progress line uses. */
export interface Terminal {
  /** Undefined for files and pipes. */
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The progress of a task. */
export interface TaskProgress {
  readonly records: number;
  /** Completed fraction from 0 to 1; null if the total is unknown. */
  readonly fraction: number | null;
}

/** A progress line on a terminal; writes nothing if the output is not a terminal. */
export class ProgressLine {
  readonly #terminal: Terminal | null;
  #label = "";
  #start = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(output: Terminal) {
    this.#terminal = output.isTTY ? output : null;
  }

  /** Begins a task. */
  begin(label: string): void {
    this.clear();
    this.#label = label;
    this.#start = performance.now();
  }

  update(progress: TaskProgress): void {
    const now = performance.now();
    if (!this.#terminal || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const line = progressText(this.#label, progress, (now - this.#start) / 1000);
    this.#terminal.write(`\r${line.slice(0, (this.#terminal.columns ?? 80) - 1)}\u001b[K`);
  }

  /** Clears the line before other output. */
  clear(): void {
    if (this.#terminal && this.#drawnAt > 0) this.#terminal.write("\r\u001b[K");
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }
}

/** @param seconds time since the start */
export function progressText(label: string, { records, fraction }: TaskProgress, seconds: number): string {
  const rate = seconds > 0 ? records / seconds : 0;
  const amount = `${records.toLocaleString("en")}  ${Math.round(rate).toLocaleString("en")}/s`;
  if (fraction === null) return `${label}  ${amount}`;
  const cells = Math.round(BAR_CELLS * fraction);
  const bar = `[${"#".repeat(cells)}${".".repeat(BAR_CELLS - cells)}]`;
  const left = fraction > 0 ? `  ${timeText((seconds * (1 - fraction)) / fraction)} left` : "";
  return `${label}  ${bar} ${String(Math.floor(100 * fraction)).padStart(3)} %  ${amount}${left}`;
}

function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, ...rest] = parts;
  const shown = hours > 0 ? parts : rest;
  return shown.map((each, index) => (index === 0 ? String(each) : String(each).padStart(2, "0"))).join(":");
}
