export { argumentLimits } from "./answer/parse-tool-arguments.ts";
export type * from "./api.ts";
export { type AiProviderConfig, createProvider } from "./create-provider.ts";
export {
  type AiFailure,
  type AiFailureKind,
  aiFailureKinds,
  makeFailure,
} from "./failure/failure.ts";
export type { RetryTable } from "./failure/retry-table.ts";
export {
  type Compaction,
  type CompactionOptions,
  compactHistory,
} from "./history/compact-history.ts";
export {
  type ContextMeasure,
  type ContextMeasureOptions,
  measureContext,
} from "./history/measure-context.ts";
export { toolOutcomeTexts } from "./history/repair-history.ts";
export { ollamaContextLength } from "./ollama.ts";
export { safeCut } from "./safe-cut.ts";
export { shorten } from "./shorten.ts";
