/** A data source of one environment of an account. */
export interface DataSource {
  readonly id: number;
  readonly providedId: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Identifies one data source. */
export type DataSourceRef =
  | { readonly by: "id"; readonly id: number }
  | { readonly by: "providedId"; readonly providedId: string };
