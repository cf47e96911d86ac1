import { SITE_CONFIG_CODES } from "@user-groups/site-config";
import { z } from "zod";
import { ENVIRONMENTS, type Environment } from "../domain/accounts/environment.js";
import { type FieldPath, invalidField } from "../domain/shared/errors.js";
import { parseRevisionNumber } from "../domain/shared/internal-id.js";
import { parseText } from "../domain/shared/text-field.js";
import { DEFAULT_ENVIRONMENT } from "../domain/site-configs/site-address.js";
import { SITE_NAME_RULE } from "../domain/site-configs/site-config.js";
import { ERROR_BODY } from "./errors.js";
import { COMPONENTS, field, integer, parameter, SUCCESS, text } from "./fields.js";

/** Matches no revision. */
const NO_REVISION = 0;

export const EXAMPLE = { name: "Docs", navigation: [{ group: "Start", pages: ["index"] }] };
export const NO_FINDINGS = { valid: true, errors: [], warnings: [], notices: [] };
const MISSING_NAME = {
  code: "missing_property",
  pointer: "",
  message: '"name" is missing; it is required.',
  line: 1,
  column: 1,
};
export const REFUSED = { ...NO_FINDINGS, valid: false, errors: [MISSING_NAME] };

/** The parameter of `/site-config/:site`. */
export const SITE = z.object({
  site: field(parseText, {}).meta({
    required: true,
    description: `The site's name. The name of a new site has ${SITE_NAME_RULE}.`,
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "docs",
  }),
});

const OWNER = {
  environment: parameter(parseEnvironment, {
    description: "The environment of the site. Without `account`, it must be that of the API key.",
    schema: { type: "string", enum: ENVIRONMENTS, default: DEFAULT_ENVIRONMENT },
  }),
  account: parameter(parseText, {
    description:
      "The name of the account that owns the site. Required for requests without an API key, which can read public sites only. The GraphQL field `publicPath` returns the complete path.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  }),
};
const STRICT = {
  strict: parameter(parseStrict, {
    description: "Treats warnings as errors. `?strict` without a value is `true`.",
    allowEmptyValue: true,
    schema: { type: "string", enum: ["", "true", "false"], default: "false" },
  }),
};
const REVISION = {
  revision: parameter(parseRevision, {
    description: "The revision number. Defaults to the current revision.",
    schema: { type: "integer", minimum: 1 },
  }),
};

/** Query parameters by operation. */
export const READ_QUERY = z.object({ ...OWNER, ...REVISION });
export const VALIDATION_QUERY = z.object(STRICT);
export const PUT_QUERY = z.object({ ...OWNER, ...STRICT });
export const DELETION_QUERY = z.object(OWNER);

const line = integer({ minimum: 1 }).exactOptional();
const findings = z.array(
  z.object({
    code: z.enum(Object.values(SITE_CONFIG_CODES).flatMap((codes) => Object.keys(codes))),
    pointer: text("The location as a JSON Pointer."),
    message: text("An explanation for humans."),
    line,
    column: line,
    count: integer({
      minimum: 2,
      description: "The number of places, if more than one; the location is the first.",
    }).exactOptional(),
  }),
);
const report = z
  .object({
    valid: z.boolean().meta({ description: "Indicates whether there are no errors." }),
    errors: findings.meta({ description: "What makes the file unusable." }),
    warnings: findings.meta({ description: "What you should fix; `strict` treats them as errors." }),
    notices: findings.meta({ description: "Properties that are valid, but not part of this format." }),
  })
  .register(COMPONENTS, { id: "SiteConfigReport" })
  .meta({ description: "The findings of the validation." });

export const VALIDATION = z
  .object({ success: SUCCESS, report })
  .register(COMPONENTS, { id: "SiteConfigValidation" });
export const STORED = z
  .object({
    success: SUCCESS,
    site: text("The name of the site."),
    revision: integer({ minimum: 1, description: "The number of the stored revision." }),
    report,
  })
  .register(COMPONENTS, { id: "SiteConfigStored" });
export const DELETED = z.object({ success: SUCCESS }).register(COMPONENTS, { id: "SiteConfigDeleted" });
/** An error reply with a report. */
export const REFUSAL = z
  .intersection(ERROR_BODY, z.object({ report }))
  .register(COMPONENTS, { id: "SiteConfigRefusal" });

/** Without a value, the parameter is true. */
function parseStrict(sent: string, path: FieldPath): boolean {
  if (!["", "true", "false"].includes(sent)) throw invalidField(path, "must be true or false");
  return sent !== "false";
}

function parseRevision(sent: string, path: FieldPath): number {
  if (!/^[1-9][0-9]*$/.test(sent)) throw invalidField(path, "must be a positive integer");
  return parseRevisionNumber(sent) ?? NO_REVISION;
}

function parseEnvironment(sent: string, path: FieldPath): Environment {
  const environment = ENVIRONMENTS.find((known) => known === sent);
  if (environment) return environment;
  throw invalidField(path, `must be ${ENVIRONMENTS.join(" or ")}`);
}
