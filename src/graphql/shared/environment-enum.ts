import type { Environment } from "../../domain/accounts/environment.js";
import { createEnum } from "./create-enum.js";

export const EnvironmentEnum = createEnum<Environment>(
  "Environment",
  "An environment of an account. An API key gives access to one environment, and environments share no data.",
  {
    CUSTOMER: ["Customer", "User groups of real customers; `Customer` in the REST API."],
    TESTING: ["Testing", "User groups for testing; `Testing` in the REST API."],
  },
);
