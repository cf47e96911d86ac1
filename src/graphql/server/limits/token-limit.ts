import { GraphQLError, Lexer, Source, TokenKind } from "graphql";
import { DomainError } from "../../../domain/shared/errors.js";

/**
 * Tells why a document could not be parsed if that is because it has too many tokens. The parser, told the limit, stops there by
 * itself, but its error says so in its text only.
 * @param error the parser's error, or what was made of it
 */
export function tokenLimitError(error: unknown, limit: number): DomainError | undefined {
  const isSyntaxError = error instanceof GraphQLError && error.nodes === undefined;
  if (!isSyntaxError || !error.source || !hasMoreTokens(error.source.body, limit)) return undefined;
  return new DomainError("too_many_tokens", `The query has more than ${limit} tokens.`, {
    figures: { limit },
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
    // No token at all: the fault that the parser found too.
    return false;
  }
}
