import { Column, CreateDateColumn, PrimaryColumn, PrimaryGeneratedColumn } from "typeorm";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";

// The columns that most tables have. Each key names the constraint that it is part of.

export function AccountKey(primaryKeyConstraintName: string): PropertyDecorator {
  return PrimaryColumn("integer", { name: "account_id", primaryKeyConstraintName });
}

export function EnvironmentKey(primaryKeyConstraintName: string): PropertyDecorator {
  return PrimaryColumn("enum", { enum: ENVIRONMENTS, enumName: "environment", primaryKeyConstraintName });
}

/** An id that the database gives. */
export function IdentityKey(
  primaryKeyConstraintName: string,
  type: "integer" | "bigint" = "integer",
): PropertyDecorator {
  return PrimaryGeneratedColumn("identity", { type, generatedIdentity: "ALWAYS", primaryKeyConstraintName });
}

/** A time that may be missing. */
export function OptionalTime(name: string): PropertyDecorator {
  return Column("timestamp with time zone", { precision: 3, name, nullable: true });
}

/** A time that the database sets when the row is written. */
export function TimeOfWriting(name: string, now: "now()" | "clock_timestamp()" = "now()"): PropertyDecorator {
  return CreateDateColumn({ type: "timestamp with time zone", precision: 3, default: () => now, name });
}
