const REDRAW_MS = 100;
const BAR_CELLS = 24;

/** Standard error, or what stands for it. */
export interface Terminal {
  /** Unset where it is a file or a pipe. */
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How far something has come. */
export interface Advance {
  readonly records: number;
  /** The part of all that is done, from 0 to 1; null when nobody knows how much there is. */
  readonly part: number | null;
}

/** A line on a terminal that tells how far something has come; where standard error is none, nothing. */
export class ProgressLine {
  readonly #terminal: Terminal | null;
  readonly #label: string;
  readonly #start = performance.now();
  readonly #first: Advance;
  #drawnAt = Number.NEGATIVE_INFINITY;

  /** @param first where it begins, which nothing was spent on */
  constructor(output: Terminal, label: string, first: Advance) {
    this.#terminal = output.isTTY ? output : null;
    this.#label = label;
    this.#first = first;
  }

  update(advance: Advance): void {
    const now = performance.now();
    if (!this.#terminal || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const line = progressText(this.#label, this.#first, advance, (now - this.#start) / 1000);
    this.#terminal.write(`\r${line.slice(0, (this.#terminal.columns ?? 80) - 1)}\u001b[K`);
  }

  /** Makes room for other text. */
  clear(): void {
    if (this.#terminal && this.#drawnAt > 0) this.#terminal.write("\r\u001b[K");
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }
}

/** @param seconds since it was as far as `first` tells */
export function progressText(
  label: string,
  first: Advance,
  { records, part }: Advance,
  seconds: number,
): string {
  const rate = seconds > 0 ? (records - first.records) / seconds : 0;
  const amount = `${records.toLocaleString("en")}  ${Math.round(rate).toLocaleString("en")}/s`;
  if (part === null) return `${label}  ${amount}`;
  const cells = Math.round(BAR_CELLS * part);
  const bar = `[${"#".repeat(cells)}${".".repeat(BAR_CELLS - cells)}]`;
  const done = part - (first.part ?? 0);
  const left = done > 0 ? `  ${timeText((seconds * (1 - part)) / done)} left` : "";
  return `${label}  ${bar} ${String(Math.floor(100 * part)).padStart(3)} %  ${amount}${left}`;
}

function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, ...rest] = parts;
  const shown = hours > 0 ? parts : rest;
  return shown.map((each, index) => (index === 0 ? String(each) : String(each).padStart(2, "0"))).join(":");
}
