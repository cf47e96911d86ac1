import { z } from "zod";

const id = z.number();

/** Messages of a worker to the primary process. */
export const workerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("listening"), url: z.string() }),
  z.object({ type: z.literal("collectMetrics"), id }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;

/** The primary process's answer, without text if a worker did not answer. */
export const metricsMessage = z.object({ type: z.literal("metrics"), id, text: z.string().optional() });
export type MetricsMessage = z.infer<typeof metricsMessage>;
