import { type HistoryPage, RefusalError, type TurnId } from "@gadget/api";

export type AskForHistory = (turnId: TurnId, cursor: string) => Promise<HistoryPage>;

/** The older pages of a turn's conversation, asked for over whichever connection there is. */
export class ServerHistory {
  #ask: AskForHistory | undefined;

  connect(ask: AskForHistory): void {
    this.#ask = ask;
  }

  disconnect(): void {
    this.#ask = undefined;
  }

  async page(turnId: TurnId, cursor: string): Promise<HistoryPage> {
    if (this.#ask === undefined) {
      throw new RefusalError("unavailable");
    }
    return this.#ask(turnId, cursor);
  }
}
