import { z } from "zod";

const id = z.number();
const counter = z.object({ taken: z.boolean(), used: z.number(), endsInMs: z.number() });

/** Messages of a worker to the primary process. */
export const workerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("listening"), url: z.string() }),
  z.object({
    type: z.literal("take"),
    takes: z.array(z.object({ id, name: z.string(), cost: z.number(), limit: z.number() })),
  }),
  z.object({ type: z.literal("collectMetrics"), id }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;

/** Messages of the primary process to a worker. */
export const primaryMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("taken"), counters: z.array(counter.extend({ id })) }),
  z.object({ type: z.literal("metrics"), id, text: z.string().optional() }),
]);
export type PrimaryMessage = z.infer<typeof primaryMessage>;
