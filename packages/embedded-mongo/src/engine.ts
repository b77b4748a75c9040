import { CursorRegistry } from "./cursor-registry.ts";
import { Catalog } from "./storage/catalog.ts";
import { purge } from "./storage/purge.ts";
import { rebuildIndexes } from "./storage/rebuild-indexes.ts";
import { Store } from "./storage/store.ts";

/** All that the commands of all connections share. */
export class Engine {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly cursors = new CursorRegistry();
  readonly startedAt = Date.now();
  /** How many clients are connected. */
  connections = 0;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #purging: Promise<void> = Promise.resolve();

  constructor(dataDir: string, onError: (error: unknown) => void) {
    this.#onError = onError;
    this.store = new Store(dataDir, onError);
    this.catalog = new Catalog(this.store);
    this.store.onRecovered = () => {
      this.catalog.reload();
      this.purgeDropped();
    };
    this.purgeDropped();
  }

  /** To be awaited before the first command: brings what an earlier version wrote up to date. */
  async upgrade(): Promise<void> {
    if (!this.store.isOutdated) {
      return;
    }
    await rebuildIndexes(this.store, this.catalog, this.#onError);
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** One write command: one transaction, acknowledged when it is durable. */
  write<T>(job: () => T): Promise<T> {
    return this.store.write(() => this.catalog.attempt(job));
  }

  /** Starts to remove what was dropped. Nobody has to wait for it. */
  purgeDropped(): void {
    const work = async (): Promise<void> => {
      if (this.catalog.hasUnfinished) {
        await this.write(() => this.catalog.dropUnfinished());
      }
      await purge(this.store, this.stopping);
    };
    this.#purging = this.#purging.then(work).catch(this.#onError);
  }

  report(error: unknown): void {
    this.#onError(error);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.cursors.clear();
    await this.#purging;
    await this.store.close();
  }
}
