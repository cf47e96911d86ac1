import { Ctx, Field, InputType, Mutation, Resolver } from "type-graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import { parseMappingEntry, parseMappingList } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Services } from "../../services/services.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { Input, type PayloadType } from "../shared/payload.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";
import { MappingInput } from "./inputs.js";
import {
  RemoveUserGroupMappingPayload,
  ReplaceUserGroupMappingPayload,
  SetUserGroupMappingPayload,
  type UserGroupValues,
} from "./payloads.js";
import { UserGroupView } from "./type.js";

@InputType("SetUserGroupMappingInput", { description: "Input for `setUserGroupMapping`." })
class SetUserGroupMappingInput extends MappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;
}

@InputType("RemoveUserGroupMappingInput", { description: "Input for `removeUserGroupMapping`." })
class RemoveUserGroupMappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @Field(() => String, { description: "The schema ID. If the schema is not mapped, nothing changes." })
  readonly schemaId!: string;
}

@InputType("ReplaceUserGroupMappingInput", { description: "Input for `replaceUserGroupMapping`." })
class ReplaceUserGroupMappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @Field(() => [MappingInput], {
    description: "The new entries. Existing entries that are not among them are removed.",
  })
  readonly mapping!: MappingInput[];
}

@Resolver()
export class MappingMutations {
  @Mutation(() => SetUserGroupMappingPayload, {
    description:
      "Maps a schema of a user group to a data source, replacing an existing entry for the schema.",
  })
  async setUserGroupMapping(
    @Input(() => SetUserGroupMappingInput) input: SetUserGroupMappingInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, SetUserGroupMappingPayload, (writer, services) => {
      const { ref, entry } = parseFields({
        ref: () => parseUserGroupBy(input.by),
        entry: () => parseMappingEntry(input, []),
      });
      return services.userGroups.setMapping(writer, ref, entry);
    });
  }

  @Mutation(() => RemoveUserGroupMappingPayload, {
    description: "Removes a schema from a user group's mapping.",
  })
  async removeUserGroupMapping(
    @Input(() => RemoveUserGroupMappingInput) input: RemoveUserGroupMappingInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, RemoveUserGroupMappingPayload, (writer, services) => {
      const { ref, schemaId } = parseFields({
        ref: () => parseUserGroupBy(input.by),
        schemaId: () => parseText(input.schemaId, ["schemaId"]),
      });
      return services.userGroups.removeMapping(writer, ref, schemaId);
    });
  }

  @Mutation(() => ReplaceUserGroupMappingPayload, {
    description: "Replaces the entire mapping of a user group.",
  })
  async replaceUserGroupMapping(
    @Input(() => ReplaceUserGroupMappingInput) input: ReplaceUserGroupMappingInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, ReplaceUserGroupMappingPayload, (writer, services) => {
      const { ref, mapping } = parseFields({
        ref: () => parseUserGroupBy(input.by),
        mapping: () => parseMappingList(input.mapping, ["mapping"]),
      });
      return services.userGroups.update(writer, ref, { mapping });
    });
  }
}

function change(
  context: GraphqlContext,
  payload: PayloadType<UserGroupValues>,
  work: (writer: Writer, services: Services) => Promise<UserGroup>,
): Promise<object> {
  return mutate(context, payload, async (writer, services) => ({
    userGroup: new UserGroupView(await work(writer, services)),
  }));
}
