export interface Account {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
}
