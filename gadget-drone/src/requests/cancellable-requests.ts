import { RefusalError } from "@gadget/api";

/** Requests whose asker may leave before they are answered: then their work ends, too. */
export class CancellableRequests {
  readonly #controllers = new Map<string, AbortController>();

  async run<T>(requestId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(requestId, controller);
    try {
      return await work(controller.signal);
    } finally {
      if (this.#controllers.get(requestId) === controller) {
        this.#controllers.delete(requestId);
      }
    }
  }

  /** One that is not there has been answered meanwhile. */
  cancel(requestId: string): void {
    const reason = new RefusalError("unavailable", "Nobody waits for this answer any more.");
    this.#controllers.get(requestId)?.abort(reason);
  }
}
