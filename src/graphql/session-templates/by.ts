import { Directive, Field, ID, InputType } from "type-graphql";
import { parseTemplateName, type SessionTemplateRef } from "../../domain/session-templates/template.js";
import { isPresent } from "../../domain/shared/json.js";
import { defineBatchLoader } from "../shared/loaders.js";
import { parseNodeIdOfType } from "../shared/node.js";
import { missingOneOfField, nullable } from "../shared/nullable.js";

@Directive("@oneOf")
@InputType("SessionTemplateBy", {
  description: "Identifies a session template by exactly one of these fields.",
})
export class SessionTemplateBy {
  @Field(() => ID, nullable("The session template's global ID."))
  readonly id?: string | null;

  @Field(() => String, nullable("The session template's name."))
  readonly name?: string | null;
}

/** @throws DomainError `invalid_field` */
export function parseSessionTemplateBy({ id, name }: SessionTemplateBy): SessionTemplateRef {
  if (isPresent(id)) return { by: "id", id: parseNodeIdOfType("SessionTemplate", id) };
  if (isPresent(name)) return { by: "name", name: parseTemplateName(name, ["by", "name"]) };
  throw missingOneOfField("SessionTemplateBy");
}

export const loadSessionTemplate = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.sessionTemplates.list.byIds(tenant, keys),
);
