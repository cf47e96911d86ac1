import { Field, ObjectType } from "type-graphql";
import type { Caller, Scope } from "../domain/caller.js";
import type { Environment } from "../domain/environment.js";
import { EnvironmentEnum } from "./environment-enum.js";
import { UserGroupView } from "./user-group-type.js";

@ObjectType("Viewer", { description: "Who is asking." })
export class ViewerView {
  @Field(() => String, { description: "The name of the account." })
  readonly accountName: string;

  @Field(() => EnvironmentEnum, { description: "The environment that the credentials open." })
  readonly environment: Environment;

  @Field(() => String, { description: "What the API key may do: `read`, `write` or `admin`." })
  readonly scope: Scope;

  @Field(() => UserGroupView, {
    nullable: true,
    description: "The group of a user group token; null for an API key.",
  })
  readonly userGroup: UserGroupView | null;

  constructor(caller: Caller) {
    this.accountName = caller.accountName;
    this.environment = caller.environment;
    this.scope = caller.scope;
    this.userGroup = null;
  }
}
