import { registerEnumType } from "type-graphql";
import type { Environment } from "../../domain/accounts/environment.js";

/** The environments by the names that GraphQL gives them. */
export const EnvironmentEnum = { CUSTOMER: "Customer", TESTING: "Testing" } as const satisfies Record<
  string,
  Environment
>;

registerEnumType(EnvironmentEnum, {
  name: "Environment",
  description: "The part of an account that an API key opens: nothing in one is visible from the other.",
  valuesConfig: {
    CUSTOMER: { description: "The groups of real customers; `Customer` in the REST API." },
    TESTING: { description: "Groups to try things with; `Testing` in the REST API." },
  },
});
