// oxlint-disable typescript/no-unsafe-type-assertion -- the table's own keys and samples
import { pathOf, type Route, type RouteName, routes } from "@gadget/api";
import { jsonSchemaOf, sampleOf, type Values } from "./samples.ts";

export const table = Object.entries(routes) as [RouteName, Route][];
export const unsafe = table.filter(([, { method }]) => method !== "GET");

export interface RouteSample {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** Which noun a route's `:id` means is the first word of its path. */
function nounOf({ path }: Route): string {
  return path.split("/")[1] ?? "";
}

/** `ids` has an id for each noun (`projects`, ...) and for each key (`droneId`, ...). */
export function routeSample(route: Route, ids: Values = {}): RouteSample {
  const id = ids[nounOf(route)];
  const values = id === undefined ? ids : { ...ids, id };
  return {
    params: sampleOf(jsonSchemaOf(route.params), values) as Record<string, string>,
    query: {},
    body: sampleOf(jsonSchemaOf(route.body), values),
  };
}

export function samplePath(route: Route, ids: Values = {}): string {
  return pathOf(route.path, routeSample(route, ids).params);
}
