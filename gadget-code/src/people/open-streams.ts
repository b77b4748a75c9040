import type { UserId } from "@gadget/api";

interface OpenStream {
  userId: UserId;
  /** The sign-in or token that it came in with. */
  credential: string;
  close(): void;
}

/** The event streams of this node, so that they end with the right to read them. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();

  /** Returns the function that forgets it. */
  add(stream: OpenStream): () => void {
    this.#streams.add(stream);
    return () => void this.#streams.delete(stream);
  }

  closeCredential(credential: string): void {
    this.#close((stream) => stream.credential === credential);
  }

  closePerson(userId: UserId, except: string | undefined): void {
    this.#close((stream) => stream.userId === userId && stream.credential !== except);
  }

  #close(isMeant: (stream: OpenStream) => boolean): void {
    for (const stream of [...this.#streams].filter(isMeant)) {
      this.#streams.delete(stream);
      stream.close();
    }
  }
}
