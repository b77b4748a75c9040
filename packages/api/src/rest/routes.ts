import { chatRoutes } from "./chats.ts";
import { machineRoutes } from "./machines.ts";
import { peopleRoutes } from "./people.ts";
import type { Route } from "./route.ts";
import { turnRoutes } from "./turns.ts";

/** Every REST route there is: the server serves this table, clients and OpenAPI read it. */
export const routes = { ...peopleRoutes, ...machineRoutes, ...chatRoutes, ...turnRoutes };

export type RouteName = keyof typeof routes;

type RouteOf<Name extends RouteName> =
  (typeof routes)[Name] extends Route<infer Params, infer Query, infer Body, infer Answer>
    ? { params: Params; query: Query; body: Body; answer: Answer }
    : never;

/** Literally, as each route says it. */
export type AccessOf<Name extends RouteName> = (typeof routes)[Name]["access"];
export type ParamsOf<Name extends RouteName> = RouteOf<Name>["params"];
export type QueryOf<Name extends RouteName> = RouteOf<Name>["query"];
export type BodyOf<Name extends RouteName> = RouteOf<Name>["body"];
export type AnswerOf<Name extends RouteName> = RouteOf<Name>["answer"];
