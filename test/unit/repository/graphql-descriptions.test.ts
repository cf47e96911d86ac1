import { type ASTNode, isTypeDefinitionNode, Kind, parse, visit } from "graphql";
import { expect, test } from "vitest";
import { printSdl } from "../../../src/graphql/server/schema.js";

const DESCRIBED = `
"A type." type A {
  "A field." b("An argument." c: Int): D @deprecated(reason: "Use another.")
}
"An enum." enum D { "A value." E }
"An input." input F { "Its field." g: Int }
"A directive." directive @h on FIELD
`;
const BARE = `type A { b(c: Int): D @deprecated } enum D { E } " " input F { g: Int } directive @h on FIELD`;

test("everything in the schema has a description, and every deprecation a reason", () => {
  const { parts, undescribed, unreasoned } = inspect(printSdl());
  expect(parts).toBeGreaterThan(300);
  expect({ undescribed, unreasoned }).toEqual({ undescribed: [], unreasoned: [] });
});

test("the check finds each kind of element and its missing descriptions", () => {
  expect(inspect(DESCRIBED)).toEqual({ parts: 8, undescribed: [], unreasoned: [] });
  const undescribed = ["A", "b", "c", "D", "E", "F", "g", "h"];
  expect(inspect(BARE)).toEqual({ parts: 8, undescribed, unreasoned: ["b"] });
});

function inspect(sdl: string): { parts: number; undescribed: string[]; unreasoned: string[] } {
  const undescribed: string[] = [];
  const unreasoned: string[] = [];
  let parts = 0;
  visit(parse(sdl), {
    enter(node) {
      if (!isPart(node)) return;
      parts += 1;
      if (!node.description?.value.trim()) undescribed.push(node.name.value);
      if (isDeprecatedWithoutReason(node)) unreasoned.push(node.name.value);
    },
  });
  return { parts, undescribed, unreasoned };
}

function isPart(node: ASTNode) {
  return (
    isTypeDefinitionNode(node) ||
    node.kind === Kind.FIELD_DEFINITION ||
    node.kind === Kind.INPUT_VALUE_DEFINITION ||
    node.kind === Kind.ENUM_VALUE_DEFINITION ||
    node.kind === Kind.DIRECTIVE_DEFINITION
  );
}

/** The printer omits GraphQL's default reason. */
function isDeprecatedWithoutReason(node: ASTNode): boolean {
  const directives = "directives" in node ? (node.directives ?? []) : [];
  const deprecation = directives.find(({ name }) => name.value === "deprecated");
  return deprecation !== undefined && deprecation.arguments?.length !== 1;
}
