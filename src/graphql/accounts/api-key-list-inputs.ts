import { Field, InputType } from "type-graphql";
import { API_KEY_ORDER, type ApiKeyFilter } from "../../domain/accounts/api-key-list.js";
import type { Scope } from "../../domain/accounts/caller.js";
import { parseText } from "../../domain/shared/text-field.js";
import { createOrderInput } from "../shared/list-inputs.js";
import { nullable } from "../shared/nullable.js";
import { ApiKeyScope } from "./api-key-types.js";

export const ApiKeyOrder = createOrderInput("ApiKeyOrder", "API keys", API_KEY_ORDER);

@InputType("ApiKeyFilter", { description: "Filters API keys, which must meet all conditions." })
export class ApiKeyFilterInput {
  @Field(() => [ApiKeyScope], nullable("API keys with one of these scopes."))
  readonly scopes?: Scope[] | null;

  @Field(
    () => Boolean,
    nullable("If true, API keys that are neither revoked nor expired; if false, those that are."),
  )
  readonly isActive?: boolean | null;

  @Field(() => String, nullable("API keys whose name contains this text, ignoring case."))
  readonly nameContains?: string | null;
}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseApiKeyFilter(filter: ApiKeyFilterInput | null | undefined): ApiKeyFilter {
  const { scopes, isActive, nameContains } = filter ?? {};
  return {
    ...(scopes ? { scopes } : {}),
    ...(typeof isActive === "boolean" ? { isActive } : {}),
    ...(nameContains ? { nameContains: parseText(nameContains, ["filter", "nameContains"]) } : {}),
  };
}
