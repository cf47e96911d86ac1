import { DomainError, invalidField } from "../domain/errors.js";
import { isObject } from "../domain/json.js";
import { readMapping } from "../domain/mapping.js";
import type { Properties } from "../domain/properties.js";
import type { NewUserGroup, UserGroupChanges } from "../domain/user-group.js";
import { createBodyCompiler } from "./compiled-body.js";
import {
  DELETION_SCHEMA,
  IDENTIFICATION_SCHEMA,
  NEW_GROUP_SCHEMA,
  ROTATION_SCHEMA,
  UPDATE_SCHEMA,
} from "./user-request-schemas.js";

type Body = Readonly<Record<string, unknown>>;
type Mapping = Readonly<Record<string, string>> | null;

interface Identification {
  readonly user_group_id: string;
}

interface NewGroup {
  readonly name: string;
  readonly properties?: Properties;
  readonly mapping?: Mapping;
}

interface Deletion extends Partial<Identification> {
  readonly current_token: string;
  readonly data_source_provided_id?: string;
}

/**
 * The body of a request as an object.
 * @throws DomainError `invalid_json` when there is none or it is something else
 */
export function parseBody(body: unknown): Body {
  if (body === undefined) {
    throw new DomainError(
      "invalid_json",
      "The request has no body. Send a JSON object. A client that cannot send one with GET uses the GraphQL mutation getOrCreateUserGroup.",
    );
  }
  if (!isObject(body)) throw new DomainError("invalid_json", "The body must be a JSON object.");
  return body;
}

/** Compiles what reads the bodies of the four methods. What it gives throws a DomainError `invalid_field` for a faulty one. */
export function createRequestParsers() {
  const compile = createBodyCompiler();
  const identification = compile<Identification>(IDENTIFICATION_SCHEMA);
  const newGroup = compile<NewGroup>(NEW_GROUP_SCHEMA);
  const update = compile<Identification & Partial<NewGroup>>(UPDATE_SCHEMA);
  const rotation = compile<{ readonly current_token: string }>(ROTATION_SCHEMA);
  const deletion = compile<Deletion>(DELETION_SCHEMA);
  return {
    providedId: (body: Body): string => identification(body).user_group_id,

    /** What GET creates a group from. */
    newUserGroup(body: Body): NewUserGroup {
      const { name, properties = null, mapping = null } = newGroup(body);
      return { name, properties, mapping: readMapping(mapping, ["mapping"]) };
    },

    /** Which group PUT changes, and what: an absent field stays, null clears properties and mapping (decision 7). */
    update(body: Body): { readonly providedId: string; readonly changes: UserGroupChanges } {
      const { user_group_id, name, properties, mapping } = update(body);
      return {
        providedId: user_group_id,
        changes: {
          ...(name === undefined ? {} : { name }),
          ...(properties === undefined ? {} : { properties }),
          ...(mapping === undefined ? {} : { mapping: readMapping(mapping, ["mapping"]) }),
        },
      };
    },

    /** The token to rotate; where there is none, the error says what to use (decision 6). */
    tokenToRotate(body: Body): string {
      if (body["current_token"] === undefined) {
        throw invalidField(
          ["current_token"],
          "is required: POST rotates a token. To get or create a user group, send GET with a body, or use the GraphQL mutation getOrCreateUserGroup if your client cannot",
        );
      }
      return rotation(body).current_token;
    },

    /** What DELETE is told: the token, and what must agree with its group (decision 9). */
    deletion(body: Body) {
      const { current_token, user_group_id, data_source_provided_id } = deletion(body);
      return {
        currentToken: current_token,
        expected: {
          ...(user_group_id === undefined ? {} : { providedId: user_group_id }),
          ...(data_source_provided_id === undefined ? {} : { dataSourceProvidedId: data_source_provided_id }),
        },
      };
    },
  };
}
