import { type Member, RefusalError } from "@gadget/api";
import { createContext, use } from "react";
import { createStore, type StoreApi } from "zustand/vanilla";
import { type Request, sentenceOf } from "./api.ts";

/** unowned: nobody can sign in yet, the server waits for its set-up link to be used */
export type AuthState =
  | { kind: "asking" }
  | { kind: "in"; user: Member }
  | { kind: "out" }
  | { kind: "unowned" }
  | { kind: "unreachable"; problem: string };

export class Auth {
  readonly store: StoreApi<AuthState> = createStore<AuthState>(() => ({ kind: "asking" }));
  #request: Request;

  constructor(request: Request) {
    this.#request = request;
  }

  /** Asks the server who is signed in. */
  async refresh(): Promise<void> {
    try {
      this.signedIn((await this.#request("me")).user);
    } catch (error) {
      if (error instanceof RefusalError && error.code === "unauthenticated") {
        await this.#signedOut();
      } else {
        this.#set({ kind: "unreachable", problem: sentenceOf(error) });
      }
    }
  }

  signedIn(user: Member): void {
    this.#set({ kind: "in", user });
  }

  async signOut(): Promise<void> {
    await this.#request("logout");
    this.#set({ kind: "out" });
  }

  /** The server no longer knows this browser. */
  expired(): void {
    if (this.store.getState().kind === "in") {
      this.#set({ kind: "out" });
    }
  }

  async #signedOut(): Promise<void> {
    try {
      const { hasOwner } = await this.#request("setupState");
      this.#set({ kind: hasOwner ? "out" : "unowned" });
    } catch (error) {
      this.#set({ kind: "unreachable", problem: sentenceOf(error) });
    }
  }

  #set(state: AuthState): void {
    this.store.setState(state, true);
  }
}

export const AuthContext = createContext<Auth | undefined>(undefined);

export function useAuth(): Auth {
  const auth = use(AuthContext);
  if (auth === undefined) {
    throw new Error("There is no AuthContext above this component.");
  }
  return auth;
}

/** Who is signed in; only for what stands behind the guard. */
export const UserContext = createContext<Member | undefined>(undefined);

export function useUser(): Member {
  const user = use(UserContext);
  if (user === undefined) {
    throw new Error("There is no UserContext above this component.");
  }
  return user;
}
