import { useState } from "react";
import { askWhetherAllowed } from "../api/page-data.js";
import { TextField } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { originOf } from "../parts/origin-of.js";
import { Problem } from "../parts/problem.js";
import { useAction } from "../session/use-action.js";
import { Finding } from "./group-findings.js";

/** Says whether the service answers pages of an origin. */
export function OriginCheck() {
  const [address, setAddress] = useState("");
  const [checked, setChecked] = useState({ origin: "", isAllowed: false });
  const origin = originOf(address.trim());
  const check = useAction(async (asked: string) =>
    setChecked({ origin: asked, isAllowed: asked === location.origin || (await askWhetherAllowed(asked)) }),
  );
  return (
    <Form onSubmit={() => origin && void check.run(origin)}>
      <TextField
        label="Address of the page"
        hint="The address of your product's page with the dashboard, such as https://app.example.com/reports."
        required={false}
        inputMode="url"
        spellCheck={false}
        error={address !== "" && !origin ? "Enter a complete address, with https://." : undefined}
        value={address}
        onChange={setAddress}
      />
      <div role="status">
        {checked.origin === origin && origin && (
          <Finding state={checked.isAllowed ? "good" : "bad"}>
            {checked.isAllowed
              ? `Pages of ${origin} may call this service.`
              : `Browsers refuse the replies to pages of ${origin}: an operator can add it to the setting CORS_ORIGINS.`}
          </Finding>
        )}
      </div>
      <Problem failure={check.failure} />
      <div className="actions">
        <button type="submit" aria-disabled={!origin || check.isBusy}>
          Check the address
        </button>
      </div>
    </Form>
  );
}
