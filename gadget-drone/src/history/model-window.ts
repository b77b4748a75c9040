import { type AiModelFacts, type AiProvider, type AiUsage, measureContext } from "@gadget/ai";
import type { ProviderAccess } from "@gadget/api";

const lookupMs = 5_000;
const freshMs = 5 * 60_000;
/** A count far below the estimate leaves out what the server had in its cache. */
const likelyRatio = { from: 0.4, to: 4 };
/** Ollama before 0.12.5 cuts what is too long in silence, so it is measured with care at first. */
const carefulRatio = 1.25;

type Described = Parameters<typeof measureContext>[0];

/** What was said of models lately, for all turns of the drone. */
export class KnownModels {
  readonly #known = new Map<string, { facts: AiModelFacts; until: number }>();

  get(key: string): AiModelFacts | undefined {
    const known = this.#known.get(key);
    return known !== undefined && known.until > performance.now() ? known.facts : undefined;
  }

  set(key: string, facts: AiModelFacts): void {
    this.#known.set(key, { facts, until: performance.now() + freshMs });
  }
}

export interface ModelWindowOptions {
  provider: AiProvider;
  access: ProviderAccess;
  model: string;
  known: KnownModels;
}

/** What the turn's model can read: looked up once, and corrected by what its server says. */
export class ModelWindow {
  /** How many tokens the server counts for one that is estimated here. */
  ratio: number;
  readonly #options: ModelWindowOptions;
  readonly #key: string;
  #facts: Promise<AiModelFacts> | undefined;
  #said: number | undefined;
  #learned: Partial<AiModelFacts> = {};

  constructor(options: ModelWindowOptions) {
    const { access, model } = options;
    this.#options = options;
    this.ratio = access.kind === "ollama" ? carefulRatio : 1;
    this.#key = JSON.stringify([access.kind, access.baseUrl, access.contextWindow, model]);
  }

  /** Never fails: what nobody says is assumed. */
  async look(signal: AbortSignal): Promise<AiModelFacts> {
    this.#facts ??= this.#lookUp(signal);
    const facts = { ...(await this.#facts), ...this.#learned };
    if (facts.assumed !== true) {
      this.#said = facts.contextLength;
    }
    return facts;
  }

  /** What somebody has said so far of how much the model can read. */
  get contextLength(): number | undefined {
    return this.#learned.contextLength ?? this.#said;
  }

  /** What a refusal said; it outweighs what was said before. */
  learn(learned: Partial<Pick<AiModelFacts, "contextLength" | "images">>): void {
    this.#learned = { ...this.#learned, ...learned };
  }

  /** Compares what the server counted with what was estimated of the same request. */
  counted({ inputTokens, estimated }: AiUsage, sent: Omit<Described, "contextLength">): boolean {
    const { tokens } = measureContext({ ...sent, contextLength: 1 });
    const ratio = inputTokens / tokens;
    if (estimated === true || ratio < likelyRatio.from || ratio > likelyRatio.to) {
      return false;
    }
    this.ratio = ratio;
    return true;
  }

  async #lookUp(signal: AbortSignal): Promise<AiModelFacts> {
    const { provider, access, model, known } = this.#options;
    // Ollama's provider has to be told the length that it asks for, by looking it up.
    const before = access.kind === "ollama" ? undefined : known.get(this.#key);
    if (before !== undefined) {
      return before;
    }
    const limited = AbortSignal.any([signal, AbortSignal.timeout(lookupMs)]);
    const facts = await provider.describeModel({ signal: limited, model });
    if (!limited.aborted) {
      known.set(this.#key, facts);
    }
    return facts;
  }
}
