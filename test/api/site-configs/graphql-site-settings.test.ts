import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/domain/shared/json.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { changeSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { run } = graphql;

const COLOR = "{ __typename ... on SiteSolidColor { hex } ... on SiteGradient { from via to } }";
const PAGES = (nested: string) =>
  `pages { __typename ... on SitePage { path } ... on SiteNavigationGroup { group icon version ${nested} } }`;
const SETTINGS = `settings {
  name favicon backgroundImage versions openapi
  logo { __typename ... on SiteLogoImage { path } ... on SiteLogoImages { light dark href } }
  colors { primary light dark background { light dark } anchors ${COLOR} }
  navigation { group icon version ${PAGES(PAGES("pages { __typename }"))} }
  topbarLinks { name url }
  topbarCtaButton { type url name }
  anchors { name url icon iconType color ${COLOR} version isDefaultHidden }
  topAnchor { name icon iconType }
  tabs { name url }
  api { baseUrl auth { method name inputPrefix } playground { mode } maintainOrder }
  footerSocials { website github hackerNews x xTwitter youtube }
  feedback { suggestEdit raiseIssue thumbsRating }
  modeToggle { default isHidden }
}`;

async function settingsOf(document: JsonObject) {
  const { siteConfig, userErrors } = await changeSite(graphql, "put", { document });
  expect(userErrors).toEqual([]);
  expect(siteConfig.document).toEqual(document);
  return (await run(`{ siteConfig { ${SETTINGS} } }`)).siteConfig.settings;
}

const minimal = { name: "Least", navigation: [{ group: "", pages: ["a"] }] };

test("returns the format's defaults for omitted settings", async () => {
  expect(await settingsOf(minimal)).toEqual({
    name: "Least",
    favicon: null,
    backgroundImage: null,
    versions: null,
    openapi: null,
    logo: null,
    colors: null,
    navigation: [{ group: "", icon: null, version: null, pages: [{ __typename: "SitePage", path: "a" }] }],
    topbarLinks: null,
    topbarCtaButton: null,
    anchors: null,
    topAnchor: { name: "Documentation", icon: "book-open", iconType: "DUOTONE" },
    tabs: null,
    api: { baseUrl: null, auth: null, playground: { mode: "SHOW" }, maintainOrder: null },
    footerSocials: null,
    feedback: { suggestEdit: false, raiseIssue: false, thumbsRating: null },
    modeToggle: { default: null, isHidden: false },
  });
});

test("returns the document's settings as types", async () => {
  const document = {
    name: "All",
    favicon: "/f.png",
    backgroundImage: "/b.png",
    versions: ["v1", "v2"],
    openapi: "one.json",
    logo: { light: "/l.svg", dark: "/d.svg" },
    colors: {
      primary: "#000",
      light: "#111",
      dark: "#222",
      background: { light: "#fff", dark: "#000" },
      anchors: { from: "#333", to: "#444" },
    },
    navigation: [
      {
        group: "Outer",
        icon: "star",
        version: "v1",
        pages: ["a", { group: "Inner", pages: ["b", { group: "Innermost", pages: ["c"] }] }],
      },
    ],
    topbarLinks: [{ name: "Link", url: "https://a.test" }, {}],
    topbarCtaButton: { url: "https://a.test", name: "Go" },
    anchors: [
      { name: "Solid", url: "a", color: "#555", iconType: "sharp-duotone-solid", icon: "x", version: "v2" },
      { name: "Gradient", url: "b", color: { from: "#666", to: "#777", via: "#888" }, isDefaultHidden: true },
    ],
    topAnchor: { name: "Top" },
    tabs: [{ name: "Tab", url: "a" }],
    api: {
      baseUrl: ["https://a.test", "https://b.test"],
      auth: { method: "key", name: "x-key", inputPrefix: "Key " },
      playground: { mode: "hide" },
      maintainOrder: true,
    },
    footerSocials: {
      website: "https://a.test",
      github: "https://github.test",
      "hacker-news": "https://news.test",
      x: "https://x.test",
      "x-twitter": "https://twitter.test",
    },
    feedback: { suggestEdit: true, thumbsRating: true },
    modeToggle: { default: "dark", isHidden: true },
  };
  const page = (path: string) => ({ __typename: "SitePage", path });
  const group = { icon: null, version: null };
  expect(await settingsOf(document)).toEqual({
    ...document,
    openapi: ["one.json"],
    logo: { __typename: "SiteLogoImages", light: "/l.svg", dark: "/d.svg", href: "/" },
    colors: {
      ...document.colors,
      anchors: { __typename: "SiteGradient", from: "#333", via: null, to: "#444" },
    },
    navigation: [
      {
        group: "Outer",
        icon: "star",
        version: "v1",
        pages: [
          page("a"),
          {
            __typename: "SiteNavigationGroup",
            ...group,
            group: "Inner",
            pages: [
              page("b"),
              {
                __typename: "SiteNavigationGroup",
                ...group,
                group: "Innermost",
                pages: [{ __typename: "SitePage" }],
              },
            ],
          },
        ],
      },
    ],
    topbarLinks: [
      { name: "Link", url: "https://a.test" },
      { name: null, url: null },
    ],
    topbarCtaButton: { type: "LINK", url: "https://a.test", name: "Go" },
    anchors: [
      {
        name: "Solid",
        url: "a",
        icon: "x",
        iconType: "SHARP_DUOTONE_SOLID",
        color: { __typename: "SiteSolidColor", hex: "#555" },
        version: "v2",
        isDefaultHidden: false,
      },
      {
        name: "Gradient",
        url: "b",
        icon: null,
        iconType: "DUOTONE",
        color: { __typename: "SiteGradient", from: "#666", via: "#888", to: "#777" },
        version: null,
        isDefaultHidden: true,
      },
    ],
    topAnchor: { name: "Top", icon: "book-open", iconType: "DUOTONE" },
    api: {
      ...document.api,
      auth: { ...document.api.auth, method: "KEY" },
      playground: { mode: "HIDE" },
    },
    footerSocials: {
      website: "https://a.test",
      github: "https://github.test",
      hackerNews: "https://news.test",
      x: "https://x.test",
      xTwitter: "https://twitter.test",
      youtube: null,
    },
    feedback: { suggestEdit: true, raiseIssue: false, thumbsRating: true },
    modeToggle: { default: "DARK", isHidden: true },
  });
});

test("leaves undocumented forms to the document", async () => {
  const settings = await settingsOf({
    ...minimal,
    logo: "/logo.svg",
    colors: { primary: "#000", background: { light: "#fff" }, anchors: "#123456" },
    versions: ["v1", { name: "v2" }],
    openapi: ["a.json", "b.json"],
    api: { baseUrl: "https://a.test" },
    footerSocials: [{ type: "github", url: "https://github.test" }],
    navigation: [{ group: "A", pages: ["a"], icon: 5, version: ["v1"] }],
    feedback: { thumbsRating: "yes" },
  });
  expect(settings).toMatchObject({
    logo: { __typename: "SiteLogoImage", path: "/logo.svg" },
    colors: {
      background: { light: "#fff", dark: null },
      anchors: { __typename: "SiteSolidColor", hex: "#123456" },
    },
    versions: ["v1"],
    openapi: ["a.json", "b.json"],
    api: { baseUrl: ["https://a.test"] },
    footerSocials: null,
    navigation: [{ group: "A", icon: null, version: null }],
    feedback: { thumbsRating: null },
  });
});
