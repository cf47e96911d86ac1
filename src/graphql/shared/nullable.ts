/** Returns the options of a nullable field or argument. */
export function nullable(description: string) {
  return { nullable: true, description } as const;
}
