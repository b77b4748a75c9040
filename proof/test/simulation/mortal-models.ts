// oxlint-disable typescript/no-unsafe-type-assertion -- a proxy has the type of what it stands for
import type { Models } from "../../../gadget-code/src/models/models.ts";

/** A server's life, counted in what it asks of the database. */
export class Life {
  isOver = false;
  /** It dies with this many requests from now; the last one may have reached the database. */
  left = Number.POSITIVE_INFINITY;
  #pending = 0;
  #onQuiet: (() => void)[] = [];

  /** Resolves when the database has answered all that was asked of it; undefined: it has. */
  quiet(): Promise<void> | undefined {
    if (this.#pending === 0) {
      return undefined;
    }
    return new Promise((resolve) => this.#onQuiet.push(resolve));
  }

  /** Runs one request; a process that has died never hears the answer. */
  request<T>(run: () => Promise<T>): Promise<T> {
    if (this.isOver) {
      return new Promise(() => {});
    }
    this.left -= 1;
    if (this.left < 0) {
      this.isOver = true;
    }
    this.#pending += 1;
    return new Promise((resolve, reject) => {
      const unless = (tell: () => void) => {
        this.#pending -= 1;
        if (!this.isOver) {
          tell();
        }
        if (this.#pending === 0) {
          for (const resume of this.#onQuiet.splice(0)) {
            resume();
          }
        }
      };
      run().then(
        (value) => unless(() => resolve(value)),
        (error: unknown) => unless(() => reject(error)),
      );
    });
  }
}

/** The real models over the real driver, used by a process that can die between any two requests. */
export function mortalModels(models: Models, life: Life): Models {
  const entries = Object.entries(models).map(([name, model]) => [name, mortal(model, life)]);
  return Object.fromEntries(entries) as Models;
}

function mortal<T extends object>(target: T, life: Life): T {
  return new Proxy(target, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") {
        return value;
      }
      if (key === "then") {
        return (...then: Parameters<Promise<unknown>["then"]>) =>
          life.request(() => Promise.resolve(target)).then(...then);
      }
      return (...args: unknown[]): unknown => {
        if (key === "create") {
          return life.request(() => value.apply(target, args) as Promise<unknown>);
        }
        const result: unknown = value.apply(target, args);
        return typeof result === "object" && result !== null ? mortal(result, life) : result;
      };
    },
  });
}
