/** The kinds of caller that a request can have. A table with a row for each is a record of them, so that none can be forgotten. */
export type CallerKind =
  | "an API key"
  | "a key in the console"
  | "a person in the console"
  | "a user group token"
  | "an embed session"
  | "no credentials";
