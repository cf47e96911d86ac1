import type { Environment } from "../../domain/accounts/environment.js";
import { createEnum } from "./create-enum.js";

export const EnvironmentEnum = createEnum<Environment>(
  "Environment",
  "The part of an account that an API key opens: nothing in one is visible from the other.",
  {
    CUSTOMER: ["Customer", "The groups of real customers; `Customer` in the REST API."],
    TESTING: ["Testing", "Groups to try things with; `Testing` in the REST API."],
  },
);
