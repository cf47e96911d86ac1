/** Stands for your own database: who your customers are, and what their dashboards shall know of them. */
export const customers = new Map([
  ["acme", { id: "acme", name: "Acme Inc.", properties: { region: "EU", currency: "EUR" } }],
  ["oneil", { id: "oneil", name: "O'Neil & <Sons>", properties: { region: "US", currency: "USD" } }],
]);
