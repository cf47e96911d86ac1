import { Ctx, Mutation, Resolver } from "type-graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import { parseMappingEntry, parseMappingList } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Services } from "../../services/services.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { Input } from "../shared/payload.js";
import { parseUserGroupBy } from "./by.js";
import { RemoveMappingInput, ReplaceMappingInput, SetMappingInput } from "./mapping-inputs.js";
import { UserGroupPayload } from "./payloads.js";
import { UserGroupView } from "./type.js";

@Resolver()
export class MappingMutations {
  @Mutation(() => UserGroupPayload, {
    description:
      "Maps a schema of a user group to a data source, replacing an existing entry for the schema.",
  })
  async setMapping(
    @Input(() => SetMappingInput) input: SetMappingInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, (writer, services) => {
      const { ref, entry } = parseFields({
        ref: () => parseUserGroupBy(input.by),
        entry: () => parseMappingEntry(input, []),
      });
      return services.mappings.set(writer, ref, entry);
    });
  }

  @Mutation(() => UserGroupPayload, { description: "Removes a schema from a user group's mapping." })
  async removeMapping(
    @Input(() => RemoveMappingInput) input: RemoveMappingInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, (writer, services) => {
      const { ref, schemaId } = parseFields({
        ref: () => parseUserGroupBy(input.by),
        schemaId: () => parseText(input.schemaId, ["schemaId"]),
      });
      return services.mappings.remove(writer, ref, schemaId);
    });
  }

  @Mutation(() => UserGroupPayload, { description: "Replaces the entire mapping of a user group." })
  async replaceMapping(
    @Input(() => ReplaceMappingInput) input: ReplaceMappingInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, (writer, services) => {
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
  work: (writer: Writer, services: Services) => Promise<UserGroup>,
): Promise<object> {
  return mutate(context, UserGroupPayload, async (writer, services) => ({
    userGroup: new UserGroupView(await work(writer, services)),
  }));
}
