/** Where Apollo Server and we write what happened. */
export interface Logger {
  debug(message?: unknown): void;
  info(message?: unknown): void;
  warn(message?: unknown): void;
  warn(details: object, message: string): void;
  error(message?: unknown): void;
  error(details: object, message: string): void;
}
