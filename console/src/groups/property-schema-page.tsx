import { useState } from "react";
import { PropertySchemaDocument } from "../api/generated/operations.js";
import { DocsLink } from "../parts/docs-link.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";
import { SchemaForm } from "./property-schema-form.js";

/** What the properties of the environment's groups may be, and the groups that violate it. */
export function PropertySchemaPage() {
  const [after, setAfter] = useState<string | null>(null);
  const query = useQuery(PropertySchemaDocument, { after });
  return (
    <Page
      title="Property schema"
      back={{ href: hashOf(["groups"]), label: "Groups" }}
      description={
        <>
          What the properties of groups may be, so that a typing error is noticed before a dashboard is empty.{" "}
          <DocsLink page="property-schema">Modes and keywords</DocsLink>
        </>
      }
    >
      <Loaded query={query}>
        {({ propertySchema }) => (
          <SchemaForm
            stored={propertySchema}
            report={propertySchema.findings}
            onContinue={setAfter}
            onChange={query.reload}
          />
        )}
      </Loaded>
    </Page>
  );
}
