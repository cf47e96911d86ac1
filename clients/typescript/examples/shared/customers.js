/** A stand-in for your customer database. `properties` are stored in the user group; `variables` are signed into each session. */
export const customers = new Map([
  [
    "acme",
    {
      id: "acme",
      name: "Acme Inc.",
      properties: { currency: "EUR", color: "#2a6f97" },
      variables: { region: "EU" },
    },
  ],
  [
    "oneil",
    {
      id: "oneil",
      name: "O'Neil & <Sons>",
      properties: { currency: "USD", color: "#b5651d" },
      variables: { region: "US" },
    },
  ],
]);
