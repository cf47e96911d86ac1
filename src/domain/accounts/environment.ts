/** The two environments of an account (interface, part 3). The API key determines the environment of a request (decision 1). */
export const ENVIRONMENTS = ["Customer", "Testing"] as const;

export type Environment = (typeof ENVIRONMENTS)[number];
