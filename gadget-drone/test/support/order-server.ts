import {
  type AbortAnswer,
  type CommandHandlers,
  newId,
  type Person,
  ProjectId,
  SessionId,
  type serverOrders,
  type TurnEvent,
  TurnId,
  type WorkOrder,
} from "@gadget/api";
import { eventually } from "@gadget/testing/eventually";

export type Orders = CommandHandlers<typeof serverOrders>;

export interface Completed {
  success: boolean;
  message: string | undefined;
  at: number;
}

interface Held {
  order: WorkOrder;
  events: TurnEvent[];
  completions: Completed[];
}

/** What a test needs of a server: to give orders to a drone, and to see what comes of them. */
export abstract class OrderServer {
  readonly turns: Map<TurnId, Held>;
  readonly #watches: (() => void)[] = [];

  protected constructor(turns: Map<TurnId, Held> = new Map()) {
    this.turns = turns;
  }

  /** Who gives the orders. */
  abstract readonly person: Person;
  abstract get url(): string;
  /** What an order stands on, made ahead so that nothing but the order itself is waited for. */
  abstract prepare(order: WorkOrder): Promise<void>;
  /** Whether it was taken. */
  abstract submit(order: WorkOrder): Promise<boolean>;
  abstract abort(turnId: TurnId): Promise<AbortAnswer>;
  abstract ask<Name extends keyof Orders>(
    name: Name,
    args: Parameters<Orders[Name]>,
  ): Promise<Awaited<ReturnType<Orders[Name]>>>;
  abstract stop(): Promise<void>;

  order(fields: Partial<WorkOrder> = {}): WorkOrder {
    return {
      turnId: newId(TurnId),
      sessionId: newId(SessionId),
      projectId: newId(ProjectId),
      epoch: 1,
      nextSeq: 2,
      graceMs: 600_000,
      prompt: "Do it.",
      by: this.person,
      workspace: { source: { kind: "empty" }, environment: [] },
      approval: "auto",
      allowed: [],
      provider: { kind: "demo" },
      model: "scripted",
      history: { messages: [], cursor: null },
      ...fields,
    };
  }

  /** What the drone has said of the turn. */
  events(turnId: TurnId): TurnEvent[] {
    return this.turns.get(turnId)?.events ?? [];
  }

  eventsOf<Type extends TurnEvent["type"]>(turnId: TurnId, type: Type) {
    return this.events(turnId).filter((event): event is TurnEvent & { type: Type } => {
      return event.type === type;
    });
  }

  text(turnId: TurnId): string {
    return this.eventsOf(turnId, "text:delta")
      .map(({ text }) => text)
      .join("");
  }

  event<Type extends TurnEvent["type"]>(turnId: TurnId, type: Type) {
    return eventually(`${type} of the turn`, () => this.eventsOf(turnId, type)[0]);
  }

  async completed(turnId: TurnId, withinMs?: number): Promise<Completed> {
    const { turns } = this;
    return eventually("the turn's end", () => turns.get(turnId)?.completions[0], withinMs);
  }

  /** Resolves in the very moment in which the turn has this many events. */
  when(turnId: TurnId, count: number): Promise<"reached"> {
    return new Promise((resolve) => {
      this.#watches.push(() => this.events(turnId).length >= count && resolve("reached"));
    });
  }

  protected hold(order: WorkOrder): void {
    this.turns.set(order.turnId, { order, events: [], completions: [] });
  }

  protected keep(turnId: TurnId, event: TurnEvent): void {
    this.turns.get(turnId)?.events.push(event);
    for (const watch of this.#watches) {
      watch();
    }
  }

  protected complete(turnId: TurnId, success: boolean, message: string | undefined): void {
    this.turns.get(turnId)?.completions.push({ success, message, at: performance.now() });
  }
}
