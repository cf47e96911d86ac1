import { describe, expect, test } from "vitest";
import { parseClaims } from "../../../src/domain/session-templates/claims.js";
import { renderClaims, type SessionValues } from "../../../src/domain/session-templates/rendering.js";
import { DomainError } from "../../../src/domain/shared/errors.js";
import type { JsonObject, JsonValue } from "../../../src/domain/shared/json.js";

const ACME: SessionValues = {
  userGroup: { id: 7, providedId: "acme", name: "Acme, Inc.", properties: null },
  mapping: new Map([["sales", "sales-eu"]]),
  variables: {},
  accountName: "northwind",
  environment: "Customer",
  sessionId: "session-1",
};

/** Returns a group's values with one property, given as JSON text. */
function withProperty(json: string | undefined): SessionValues {
  const properties = json === undefined ? null : `{"value":${json}}`;
  return { ...ACME, userGroup: { ...ACME.userGroup, properties } };
}

function check(claims: unknown, algorithm: "ES256" | "HS256" = "HS256") {
  return parseClaims(claims, ["claims"], algorithm);
}

/** Renders one text as a saved template would. */
function render(text: string, values = ACME): JsonValue | undefined {
  return renderClaims(check({ claim: text }), values)["claim"];
}

/** Returns the messages of all invalid fields, with their paths. */
function refusals(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError && error.code === "invalid_field")
      return error.fields.map(({ field, message }) => `${field.join(".")} ${message}`);
    throw error;
  }
  return [];
}

describe("where each reference stands, and what its value is", () => {
  const PRESENT = '"EU"';
  const FORMS = {
    whole: "{{ userGroup.properties.value }}",
    wholeText: "{{ userGroup.properties.value | text }}",
    wholeNumber: "{{ userGroup.properties.value | number }}",
    sqlString: "region = '{{ userGroup.properties.value | sqlString }}'",
    number: "region = {{ userGroup.properties.value | number }}",
    uri: "/region/{{ userGroup.properties.value | uri }}",
    text: "region {{ userGroup.properties.value | text }}",
  };
  const REFUSED = undefined;
  const OUTCOMES: Readonly<Record<string, Readonly<Record<string, JsonValue | undefined>>>> = {
    whole: {
      [PRESENT]: "EU",
      "7": 7,
      true: true,
      '["EU","US"]': ["EU", "US"],
      '{"a":1}': { a: 1 },
      "0": 0,
      false: false,
    },
    wholeText: {
      [PRESENT]: "EU",
      "7": "7",
      true: "true",
      '["EU"]': REFUSED,
      '{"a":1}': REFUSED,
      "9007199254740993": "9007199254740993",
      "-1e400": "-1e400",
    },
    wholeNumber: { [PRESENT]: REFUSED, "7": 7, '"7"': REFUSED, true: REFUSED, "9007199254740993": REFUSED },
    sqlString: {
      [PRESENT]: "region = 'EU'",
      "7": "region = '7'",
      '["EU"]': REFUSED,
      "9007199254740993": REFUSED,
    },
    number: {
      [PRESENT]: REFUSED,
      "7": "region = 7",
      "-1.5": "region = -1.5",
      '"1 OR 1=1"': REFUSED,
      "9007199254740993": REFUSED,
    },
    uri: {
      [PRESENT]: "/region/EU",
      '"a/b?c#d\'(*)"': "/region/a%2Fb%3Fc%23d%27%28%2A%29",
      '["EU"]': REFUSED,
    },
    text: {
      [PRESENT]: "region EU",
      "7": "region 7",
      '"{{ userGroup.name }}"': "region {{ userGroup.name }}",
      '{"a":1}': REFUSED,
    },
  };
  const MISSING = [
    undefined,
    "null",
    '""',
    '"  "',
    '"\\u200b"',
    "[]",
    "{}",
    "[[]]",
    '["EU",null]',
    '["EU",""]',
    '{"a":{}}',
    '[{"a":null}]',
  ];
  const cases = Object.entries(FORMS).flatMap(([form, text]) =>
    Object.entries(OUTCOMES[form] ?? {}).map(([json, outcome]) => [form, json, text, outcome] as const),
  );

  test.each(cases)("%s with %s", (_form, json, text, outcome) => {
    const values = withProperty(json);
    if (outcome === REFUSED) expect(refusals(() => render(text, values))).toHaveLength(1);
    else expect(render(text, values)).toEqual(outcome);
  });

  test.each(Object.entries(FORMS))("%s: a missing or empty value is refused", (_form, text) => {
    for (const json of MISSING) {
      const [message] = refusals(() => render(text, withProperty(json)));
      expect(message, String(json)).toMatch(
        /^claims\.claim has `\{\{ .* \}\}`, which is (missing|empty) for the user group `acme`: set its property `value`$/,
      );
    }
  });

  test("a default replaces what is missing or empty, and is checked as a value is", () => {
    const text = '{{ userGroup.properties.value ?? "none" }}';
    for (const json of MISSING) expect(render(text, withProperty(json)), String(json)).toBe("none");
    expect(render(text, withProperty(PRESENT))).toBe("EU");
    expect(render('{{ userGroup.properties.value ?? ["}}", {"a": 1}] }}')).toEqual(["}}", { a: 1 }]);
    for (const empty of ["null", '""', '" "', "[]", "{}", "[[]]", "9007199254740993"])
      expect(
        refusals(() => check({ claim: `{{ userGroup.properties.value ?? ${empty} }}` })),
        empty,
      ).toHaveLength(1);
    for (const wrong of [
      "x = '{{ userGroup.name | sqlString ?? \"a'b\" }}'",
      'x = {{ variables.x | number ?? "1" }}',
      '{{ userGroup.name | oneOf("a") ?? "b" }}',
    ])
      expect(
        refusals(() => check({ claim: wrong })),
        wrong,
      ).toHaveLength(1);
  });

  test("allowEmpty allows an empty value, not an absent one", () => {
    const text = "{{ userGroup.properties.value | allowEmpty }}";
    for (const json of ["null", '""', "[]", "{}", '["EU",null]'])
      expect(render(text, withProperty(json))).toEqual(JSON.parse(json));
    expect(refusals(() => render(text))).toHaveLength(1);
    expect(render("{{ userGroup.properties.value | allowEmpty ?? [] }}")).toEqual([]);
  });

  test.each([
    "x' OR '1'='1",
    'x"',
    "x\\",
    "`x`",
    "{{ x }}",
    "{% x %}",
    "{# x #}",
    "x\u0000",
    "x\n",
    "x\u2028",
    "x\u2019 OR 1=1",
    "x\u02bc OR 1=1",
    "x\uff07 OR 1=1",
  ])("a text that SQL or Jinja could read as more is refused in SQL: %j", (name) => {
    const values = { ...ACME, userGroup: { ...ACME.userGroup, name } };
    expect(refusals(() => render("tenant = '{{ userGroup.name | sqlString }}'", values))).toEqual([
      expect.stringContaining("must not contain quotes, backslashes, braces or control characters in SQL"),
    ]);
  });
});

test("each root has its value", () => {
  const references = {
    providedId: "userGroup.providedId",
    teamId: "userGroup.teamId",
    name: "userGroup.name",
    nested: 'userGroup.properties["a.b"].c-d',
    mapping: "userGroup.mapping.sales",
    quoted: 'userGroup.mapping["sales"]',
    variable: "variables.x.y",
    account: "account.name",
    environment: "environment",
    session: "session.id",
  };
  const texts = Object.entries(references).map(([claim, path]) => [claim, `{{ ${path} }}`]);
  const userGroup = { ...ACME.userGroup, properties: '{"a.b":{"c-d":[1]}}' };
  expect(
    renderClaims(check(Object.fromEntries(texts)), { ...ACME, userGroup, variables: { x: { y: "z" } } }),
  ).toEqual({
    providedId: "acme",
    teamId: 7,
    name: "Acme, Inc.",
    nested: [1],
    mapping: "sales-eu",
    quoted: "sales-eu",
    variable: "z",
    account: "northwind",
    environment: "Customer",
    session: "session-1",
  });
});

test("only own members are found", () => {
  for (const name of ["constructor", "__proto__", "toString", "length"]) {
    expect(refusals(() => render(`{{ userGroup.properties.${name} }}`, withProperty("[1]")))).toHaveLength(1);
    expect(
      refusals(() => render(`{{ userGroup.properties.value.${name} }}`, withProperty("[1]"))),
    ).toHaveLength(1);
    expect(refusals(() => render(`{{ variables.${name} }}`))).toHaveLength(1);
    expect(refusals(() => render(`{{ userGroup.mapping.${name} }}`))).toHaveLength(1);
  }
});

test("values are not read as templates, and braces can be written", () => {
  const userGroup = { ...ACME.userGroup, name: "{{ userGroup.providedId }}" };
  expect(render("{{ userGroup.name }}", { ...ACME, userGroup })).toBe("{{ userGroup.providedId }}");
  expect(render('{{ "{{" }} current_user() {{ "}}" }}')).toBe("{{ current_user() }}");
});

test("claims other than texts are kept", () => {
  const claims = JSON.parse('{"__proto__":{"a":1},"list":[1,null,{"b":false}],"empty":[]}');
  expect(JSON.stringify(renderClaims(check(claims), ACME))).toBe(JSON.stringify(claims));
});

test.each([
  ['{{ userGroup.propertis.x ?? "all" }}', "must begin with one of"],
  ["{{ userGroup }}", "must begin with one of"],
  ["{{ userGroup.token }}", "must begin with one of"],
  ["{{ userGroup.nameless }}", "must begin with one of"],
  ["{{ userGroup.name.first }}", "must end with `userGroup.name`"],
  ["{{ userGroup.properties }}", "must name a member"],
  ["{{ userGroup.mapping.a.b }}", "must name at most 1"],
  ["{{ userGroup.properties.a..b }}", "must be a path"],
  ["{{ userGroup.properties[0] }}", "must name a member"],
  ["{{ userGroup.properties.a", "must be a path"],
  ["{{ userGroup.name | upper }}", "must use one of"],
  ["{{ userGroup.name | text | uri }}", "must use one of"],
  ["{{ userGroup.name | oneOf }}", "must use `oneOf` once"],
  ["{{ userGroup.name | oneOf() }}", "must list texts"],
  ["{{ userGroup.name | oneOf(1) }}", "must list texts"],
  ["{{ userGroup.name | text(1) }}", "must use `oneOf` once"],
  ["{{ userGroup.name ?? all }}", "must have JSON after"],
  ['{{ userGroup.name ?? "a" | text }}', "must have JSON after"],
  ["userGroup.name }}", "has `}}` without"],
  ["{{ userGroup.name | uri }}", "must be inside a longer text"],
  ["{{ userGroup.name | sqlString }}", "must be inside a longer text"],
  ["group {{ userGroup.name }}", "must name how to write the value"],
  ["x = {{ userGroup.name | sqlString }}", "must stand alone between single quotes"],
  ["x LIKE '%{{ userGroup.name | sqlString }}%'", "must stand alone between single quotes"],
  ["x = 'a'{{ userGroup.name | sqlString }}'b'", "must stand alone between single quotes"],
  ["x = '{{ userGroup.name | sqlString }}' AND y = {{ variables.y | text }}", "as the text is SQL"],
  ["x = '{{ userGroup.name | text }}'", "must not stand beside a quote"],
  ['x = "{{ userGroup.name | uri }}"', "must not stand beside a quote"],
  ["x = 5 -{{ variables.y | number }}", "must not follow a minus sign"],
])("saving refuses %s", (text, rule) => {
  expect(refusals(() => check({ claim: text }))).toEqual([expect.stringContaining(rule)]);
});

test("claims that we set, and roles without a list, are refused", () => {
  const own = { iat: 1, exp: 1, nbf: 1, iss: "x", aud: "x" };
  expect(refusals(() => check(own, "HS256"))).toHaveLength(3);
  expect(refusals(() => check(own, "ES256"))).toHaveLength(5);
  const role = "{{ userGroup.properties.value }}";
  for (const claims of [{ role }, { ns: { "x-hasura-allowed-roles": [role] } }, { Role: { name: role } }])
    expect(refusals(() => check(claims))).toEqual([expect.stringContaining("must say which roles")]);
  const limited = '{{ userGroup.properties.value | oneOf("viewer", "editor") }}';
  expect(renderClaims(check({ role: limited }), withProperty('"editor"'))).toEqual({ role: "editor" });
  for (const json of ['"admin"', '["viewer"]', '"VIEWER"'])
    expect(refusals(() => renderClaims(check({ role: limited }), withProperty(json)))).toHaveLength(1);
});

test("every invalid reference is named, on saving and in a session", () => {
  const claims = { a: "{{ x }}", b: ["ok", "{{ userGroup.name | y }}"] };
  expect(refusals(() => check(claims)).map((message) => message.split(" ")[0])).toEqual([
    "claims.a",
    "claims.b.1",
  ]);
  const template = check({ a: "{{ variables.a }}", b: "{{ variables.b | text }}-{{ variables.c | text }}" });
  expect(refusals(() => renderClaims(template, ACME))).toEqual([
    "claims.a has `{{ variables.a }}`, which is missing for the user group `acme`: send the variable `a`",
    "claims.b has `{{ variables.b | text }}`, which is missing for the user group `acme`: send the variable `b`",
    "claims.b has `{{ variables.c | text }}`, which is missing for the user group `acme`: send the variable `c`",
  ]);
});

describe("limits", () => {
  const many = (count: number) => ({ list: Array.from({ length: count }, () => "{{ userGroup.name }}") });

  test("64 references", () => {
    expect(refusals(() => check(many(64)))).toEqual([]);
    expect(refusals(() => check(many(65)))).toEqual(["claims must have at most 64 references"]);
  });

  test("8 KiB and 16 levels of claims, and constant keys", () => {
    expect(refusals(() => check({ a: "x".repeat(8192 - 8) }))).toEqual([]);
    expect(refusals(() => check({ a: "x".repeat(8192 - 7) }))).toEqual([
      "claims must be at most 8192 bytes of JSON",
    ]);
    const nested = (levels: number): JsonObject => (levels === 1 ? {} : { a: nested(levels - 1) });
    expect(refusals(() => check(nested(16)))).toEqual([]);
    expect(refusals(() => check(nested(17)))).toHaveLength(1);
    expect(refusals(() => check({ a: { "{{ userGroup.name }}": 1 } }))).toHaveLength(1);
    for (const claims of [null, [], "x", undefined]) expect(refusals(() => check(claims))).toHaveLength(1);
  });

  test("6 KiB when rendered", () => {
    const text = { a: "{{ userGroup.properties.value }}" };
    const ofBytes = (bytes: number) => withProperty(JSON.stringify("x".repeat(bytes - 8)));
    expect(refusals(() => renderClaims(check(text), ofBytes(6144)))).toEqual([]);
    expect(refusals(() => renderClaims(check(text), ofBytes(6145)))).toEqual([
      "claims must be at most 6144 bytes of JSON with the values of the user group `acme`",
    ]);
    const repeated = { list: Array.from({ length: 64 }, () => "{{ userGroup.properties.value }}") };
    expect(refusals(() => renderClaims(check(repeated), ofBytes(60_000)))).toHaveLength(1);
  });

  test("16 levels of JSON in a default, however it is checked", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}"EU"${"]".repeat(levels)}`;
    const withDefault = (json: string) => ({ claim: `{{ variables.region ?? ${json} }}` });
    expect(refusals(() => check(withDefault(nested(16))))).toEqual([]);
    for (const levels of [17, 4000])
      expect(refusals(() => check(withDefault(nested(levels))))).toEqual([
        expect.stringContaining("which must have at most 16 levels of JSON after `??`"),
      ]);
  });

  test("no pattern takes long", () => {
    const spaces = " ".repeat(8000);
    for (const text of [
      `{{${spaces}`,
      `{{ userGroup.name | oneOf(${'"",'.repeat(2000)}`,
      `{{ userGroup.name ?? "${"}}".repeat(4000)}`,
      `{{ "${"\\\\".repeat(2000)}`,
    ])
      expect(refusals(() => check({ claim: text }))).toHaveLength(1);
  });
});
