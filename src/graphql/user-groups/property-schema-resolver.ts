import { GraphQLDateTime } from "graphql-scalars";
import { Arg, Ctx, Field, InputType, Int, ObjectType, Query, Resolver } from "type-graphql";
import type { Admin } from "../../domain/accounts/caller.js";
import { invalidField } from "../../domain/shared/errors.js";
import { parseExpectedVersion } from "../../domain/shared/field-parsing.js";
import { MAX_PAGE_SIZE, parsePage, toCursor } from "../../domain/shared/pagination.js";
import { USER_GROUP_ORDER } from "../../domain/user-groups/list.js";
import { MAX_SEARCHED_BYTES } from "../../domain/user-groups/properties.js";
import { MAX_SCHEMA_BYTES, type SchemaMode } from "../../domain/user-groups/property-schema.js";
import {
  MAX_CHECKED,
  type PropertyFindings,
  type PropertySchema,
} from "../../services/user-groups/property-schemas.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { createEnum } from "../shared/create-enum.js";
import { AdminMutation } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { NodeView } from "../shared/node.js";
import { guard, nullable } from "../shared/nullable.js";
import { GraphQLJSON, RawJson } from "../shared/raw-json.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { UserGroupView } from "./type.js";

const PropertySchemaModeEnum = createEnum<SchemaMode>(
  "PropertySchemaMode",
  "What happens to properties that violate the schema.",
  {
    OFF: ["OFF", "They are written."],
    WARN: ["WARN", "They are written and counted in a metric."],
    ENFORCE: [
      "ENFORCE",
      "They are refused with `INVALID_FIELD`, except by GET of the REST API and `getOrCreateUserGroup`. Only members that a write changes are checked.",
    ],
  },
);

const { field: SORT_FIELD } = USER_GROUP_ORDER.default;
const SORT = { field: SORT_FIELD, kind: USER_GROUP_ORDER.fields[SORT_FIELD].kind };

@ObjectType("PropertyFinding", {
  description: "A user group whose properties violate the schema.",
  simpleResolvers: true,
})
class PropertyFindingView {
  @Field(() => UserGroupView, { description: "The user group." })
  readonly userGroup!: UserGroupView;

  @Field(() => [UserErrorView], {
    description: "The first errors, at most 10. `field` is the path within the properties.",
  })
  readonly errors!: readonly UserErrorView[];
}

@ObjectType("PropertyReport", {
  description: "User groups whose properties violate the schema, among those that were checked.",
  simpleResolvers: true,
})
class PropertyReportView {
  @Field(() => Int, {
    description: `The number of user groups that were checked: all of the environment, or about ${MAX_CHECKED}, fewer if their properties are large.`,
  })
  readonly checked!: number;

  @Field(() => Int, { description: "The number of those that violate the schema." })
  readonly invalid!: number;

  @Field(() => [PropertyFindingView], {
    description: `The first of these, at most ${MAX_PAGE_SIZE}, ordered by internal ID.`,
  })
  readonly nodes!: readonly PropertyFindingView[];

  @Field(
    () => String,
    nullable("The cursor after which the search continues; null if all user groups were checked."),
  )
  readonly endCursor!: string | null;

  static of({ items, checked, next }: PropertyFindings): PropertyReportView {
    const nodes = items.slice(0, MAX_PAGE_SIZE).map(({ userGroup, errors }) => ({
      userGroup: new UserGroupView(userGroup),
      errors: UserErrorView.ofFields(errors),
    }));
    return { checked, invalid: items.length, nodes, endCursor: next && toCursor(SORT.field, next) };
  }
}

@ObjectType("PropertySchema", {
  implements: NodeView,
  description: "The JSON Schema for the properties of an environment's user groups.",
})
export class PropertySchemaView extends NodeView {
  @Field(() => PropertySchemaModeEnum, { description: "What happens to properties that violate the schema." })
  readonly mode: SchemaMode;

  @Field(() => Int, { description: "The version, incremented by each change; 0 before the first one." })
  readonly version: number;

  @Field(() => GraphQLDateTime, nullable("The time of the last change; null before the first one."))
  readonly updatedAt: Date | null;

  constructor(private readonly stored: PropertySchema) {
    super("PropertySchema", 1);
    this.mode = stored.mode;
    this.version = stored.version;
    this.updatedAt = stored.updatedAt;
  }

  @Field(() => GraphQLJSON, nullable("The schema; null if there is none."))
  schema(): RawJson | null {
    return this.stored.text === null ? null : new RawJson(this.stored.text);
  }

  @Field(() => PropertyReportView, {
    description:
      "Searches user groups whose properties violate the schema, in any mode. A request reads a bounded part of them.",
  })
  async findings(
    @Arg("first", () => Int, nullable(`The maximum number of findings, from 1 to ${MAX_PAGE_SIZE}.`)) first:
      | number
      | null,
    @Arg("after", () => String, nullable("Continues the search after this cursor.")) after: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<PropertyReportView> {
    const { loaders } = requireSession(context);
    const page = parsePage({ first, after }, SORT);
    if (page.size === 0) throw invalidField(["first"], "must be at least 1");
    // Before the search, as a query may have several.
    loaders.budget.spendBytes(MAX_SEARCHED_BYTES);
    const found = await context.services.propertySchemas.findings(loaders.tenant, page);
    return PropertyReportView.of(found);
  }
}

@InputType("SetPropertySchemaInput", { description: "Input for `setPropertySchema`." })
class SetPropertySchemaInput {
  @OptionalField(
    () => GraphQLJSON,
    `A JSON Schema of at most ${MAX_SCHEMA_BYTES} bytes with the keywords of the documentation. Null removes the schema, which requires the mode \`OFF\`; if omitted, it stays.`,
  )
  readonly schema?: unknown;

  @Field(() => PropertySchemaModeEnum, { description: "What happens to properties that violate the schema." })
  readonly mode!: SchemaMode;

  @Field(() => Int, guard("The version that the schema must have; 0 if there was none."))
  readonly expectedVersion?: number | null;

  @Field(() => Boolean, { defaultValue: false, description: "Whether nothing is written." })
  readonly dryRun!: boolean;
}

@Resolver()
export class PropertySchemaResolver {
  @Query(() => PropertySchemaView, {
    description: "The schema for the properties of the environment's user groups.",
  })
  async propertySchema(@Ctx() context: GraphqlContext): Promise<PropertySchemaView> {
    const { loaders } = requireSession(context);
    return new PropertySchemaView(await context.services.propertySchemas.find(loaders.tenant));
  }

  @AdminMutation(
    "Sets the schema for properties, or its mode. `ENFORCE` is refused while processes of a version that does not check properties are connected. Requires admin scope.",
    () => SetPropertySchemaInput,
    {
      propertySchema: [
        () => PropertySchemaView,
        nullable("The stored schema, with `dryRun` the former one; null if the mutation failed."),
      ],
      report: [
        () => PropertyReportView,
        nullable(
          "The user groups that violate the new schema; null without a schema, and for `OFF` unless `dryRun` is set.",
        ),
      ],
    },
  )
  async setPropertySchema(input: SetPropertySchemaInput, admin: Admin, { services }: GraphqlContext) {
    const { dryRun, ...change } = input;
    const { schema, findings } = await services.propertySchemas.set(admin, {
      ...change,
      expectedVersion: parseExpectedVersion(input),
      isDryRun: dryRun,
    });
    return {
      propertySchema: new PropertySchemaView(schema),
      ...(findings && { report: PropertyReportView.of(findings) }),
    };
  }
}
