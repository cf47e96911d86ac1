import { GraphQLError, Lexer, Source, TokenKind } from "graphql";
import { DomainError } from "../../../domain/shared/errors.js";

/**
 * Returns `too_many_tokens` if a parse error was caused by the token limit. The parser enforces the limit, but reports it only in
 * the message of its error.
 * @param error the parser's error, possibly wrapped by Apollo Server
 */
export function tokenLimitError(error: unknown, limit: number): DomainError | undefined {
  const isSyntaxError = error instanceof GraphQLError && error.nodes === undefined;
  if (!isSyntaxError || !error.source || !hasMoreTokens(error.source.body, limit)) return undefined;
  return new DomainError("too_many_tokens", `The query has more than ${limit} tokens.`, {
    details: { limit },
  });
}

function hasMoreTokens(text: string, limit: number): boolean {
  const lexer = new Lexer(new Source(text));
  try {
    for (let count = 0; count <= limit; count += 1) {
      if (lexer.advance().kind === TokenKind.EOF) return false;
    }
    return true;
  } catch {
    // The lexer fails on the same syntax error as the parser.
    return false;
  }
}
