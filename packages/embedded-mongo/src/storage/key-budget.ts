import { CommandError } from "../bson/command-error.ts";

const maxKeys = 100_000;
const maxKeyBytes = 16 * 1024 * 1024;

/** What one document may have of keys in all indexes of its collection: they are made in memory. */
export class KeyBudget {
  #keys = maxKeys;
  #bytes = maxKeyBytes;

  get keys(): number {
    return this.#keys;
  }

  take(bytes: number): void {
    this.#keys -= 1;
    this.#bytes -= bytes;
    if (this.#keys < 0 || this.#bytes < 0) {
      throw tooManyKeys();
    }
  }
}

function tooManyKeys(): CommandError {
  return new CommandError(
    "CannotBuildIndexKeys",
    `Unable to build index keys: a document may have ${maxKeys} of them and ${maxKeyBytes} bytes, in all indexes together. Index fields with shorter arrays.`,
  );
}
