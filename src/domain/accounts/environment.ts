/** The two environments of an account (interface, part 3); an API key fixes which one a request touches (decision 1). */
export const ENVIRONMENTS = ["Customer", "Testing"] as const;

export type Environment = (typeof ENVIRONMENTS)[number];
