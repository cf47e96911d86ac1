/** Apollo's codes for requests that GraphQL refuses before it executes anything. REST has none of them. */
export const DOCUMENT_CODES = {
  GRAPHQL_PARSE_FAILED: {
    json: 200,
    graphqlJson: 400,
    meaning: "The document is not GraphQL.",
    advice: "Fix the syntax at `locations`.",
  },
  GRAPHQL_VALIDATION_FAILED: {
    json: 200,
    graphqlJson: 400,
    meaning: "The document does not match the schema.",
    advice: "Fix the field, argument or type in the message; generated types find it before the request.",
  },
  BAD_USER_INPUT: {
    json: 200,
    graphqlJson: 400,
    meaning: "A variable does not match its type.",
    advice: "Fix the variable in the message.",
  },
  OPERATION_RESOLUTION_FAILURE: {
    json: 400,
    graphqlJson: 400,
    meaning: "`operationName` is missing or names no operation of the document.",
    advice: "Send the name of an operation of the document.",
  },
  PERSISTED_QUERY_NOT_FOUND: {
    json: 200,
    graphqlJson: 200,
    meaning: "The service does not know the hash of an automatic persisted query.",
    advice: "Send the query with its hash; clients that support persisted queries do so themselves.",
  },
} as const;

export type DocumentCode = keyof typeof DOCUMENT_CODES;
