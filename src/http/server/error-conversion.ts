import { DomainError, internalError } from "../../domain/shared/errors.js";

/**
 * Converts an error of request handling to a DomainError; `internal` for unexpected errors.
 * @param bodyLimit maximum body size in bytes, for the message
 */
export function toDomainError(error: unknown, bodyLimit: number): DomainError {
  if (error instanceof DomainError) return error;
  switch (frameworkStatus(error)) {
    case 400:
      return new DomainError("bad_request", "The request could not be read.", { cause: error });
    case 404:
      return new DomainError("not_found", "There is nothing at this path.", { cause: error });
    case 413:
      return new DomainError("payload_too_large", `The body is larger than ${bodyLimit} bytes.`, {
        details: { limit: bodyLimit },
        cause: error,
      });
    case 415:
      return new DomainError("unsupported_media_type", "The Content-Type header is not valid.", {
        cause: error,
      });
    default:
      return internalError(error);
  }
}

/** Returns the HTTP status of a Fastify error (code FST_…) or of a broken request stream. */
function frameworkStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("statusCode" in error)) return undefined;
  return typeof error.statusCode === "number" ? error.statusCode : undefined;
}
