import { readdirSync, readFileSync } from "node:fs";
import { codegen } from "@graphql-codegen/core";
import * as typescriptOperations from "@graphql-codegen/typescript-operations";
import {
  buildSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
} from "graphql";

const root = new URL("../../../", import.meta.url);
const folder = new URL("clients/typescript/operations/", root);
const HEADER = `// Made from clients/typescript/operations and schema.graphql by \`npm run client:write\`.
import { DocumentText } from "../document.js";
`;
/** TypeScript types of the JSON scalars in input and output. */
const JSON_TYPES = { input: "object", output: "{ readonly [key: string]: unknown }" };

/** Generates the client package's operations source: types and texts. */
export async function generateOperations(): Promise<string> {
  const sdl = readFileSync(new URL("schema.graphql", root), "utf8");
  const documents = readOperations();
  const types = await codegen({
    filename: "operations.ts",
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: documents.map((document, index) => ({ location: `${index}`, document })),
    config: {},
    plugins: [
      {
        operations: {
          strictScalars: true,
          scalars: { DateTime: "string", JSON: JSON_TYPES, SafeInt: "number" },
          skipTypename: true,
          immutableTypes: true,
          inlineFragmentTypes: "combine",
        },
      },
    ],
    pluginMap: { operations: typescriptOperations },
  });
  const texts = [...operationTexts()].map(([name, { kind, text }]) => {
    const type = `${name}${kind}`;
    return `export const ${name}Document = /* @__PURE__ */ new DocumentText<${type}, ${type}Variables>(\n  ${JSON.stringify(text)},\n);\n`;
  });
  return [HEADER, types.trim(), "", ...texts].join("\n");
}

/** The documents that the package sends, by operation name. */
export function operationTexts(): ReadonlyMap<string, { readonly kind: string; readonly text: string }> {
  const definitions = readOperations().flatMap(({ definitions }) => definitions);
  const fragments = new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  return new Map(
    definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION
        ? [[one.name?.value ?? "", { kind: capitalized(one.operation), text: textOf(one, fragments) }]]
        : [],
    ),
  );
}

function readOperations(): DocumentNode[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => parse(readFileSync(new URL(name, folder), "utf8")));
}

/** Prints an operation with its fragments, minified. */
function textOf(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): string {
  const used = new Set<FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode) => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (!fragment) throw new Error(`There is no fragment ${name.value}.`);
        if (used.has(fragment)) return;
        used.add(fragment);
        collect(fragment);
      },
    });
  };
  collect(operation);
  return stripIgnoredCharacters([operation, ...used].map(print).join("\n"));
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
