/** A stand-in for your customer database. */
export const customers = new Map([
  ["acme", { id: "acme", name: "Acme Inc.", properties: { region: "EU", currency: "EUR" } }],
  ["oneil", { id: "oneil", name: "O'Neil & <Sons>", properties: { region: "US", currency: "USD" } }],
]);
