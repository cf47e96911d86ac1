import { compile } from "json-schema-to-typescript";
import type { ProcessEnvironment } from "../../config/config.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { serviceOf, withClient } from "../shared/client.js";
import type { Output } from "../shared/output.js";

/** The name of the type. */
const NAME = "Properties";
/** Schemas have no references: what looks like one is part of a value, and must be neither read from a file nor fetched. */
const NO_REFERENCES = { resolve: { external: false }, dereference: { excludedPathMatcher: () => true } };

/** Prints a TypeScript type for the properties of the environment's groups, as its schema describes them. */
export async function printPropertyTypes(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withClient(environment, serviceOf(environment), async (client) => {
    const { schema } = await client.propertySchema.get();
    if (schema === null)
      throw new OperatorError("The environment has no schema for properties. Set one in the console.");
    // A title would be its name.
    const options = { bannerComment: "", $refOptions: NO_REFERENCES };
    const text = await compile({ ...schema, title: NAME }, NAME, options);
    await output.print({ types: text }, text);
  });
}
