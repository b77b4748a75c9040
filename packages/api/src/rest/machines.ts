import * as z from "zod/mini";
import { Stopped } from "../chat-turn.ts";
import { Drone, DroneCommand, DroneTurn, DroneUse } from "../drone.ts";
import { CommandId, DroneId, ProviderId } from "../id.ts";
import { Instant } from "../instant.ts";
import { EnteredPrice } from "../price.ts";
import {
  ContextWindow,
  EnteredContext,
  Model,
  Provider,
  ProviderKind,
  ProviderTest,
  ReasoningEffort,
} from "../provider.ts";
import { plainLine } from "../text/is-text.ts";
import { FolderListing } from "../workspace.ts";
import { listOf, ok, page, route } from "./route.ts";

const name = z.string().check(z.trim(), z.minLength(1), z.maxLength(100), plainLine);
const wholeUrl = "Give a whole base URL that starts with http:// or https://.";
const baseUrl = z.url({ protocol: /^https?$/, error: wholeUrl }).check(z.maxLength(500, wholeUrl));
const apiKey = z.string().check(z.minLength(1), z.maxLength(1_000));
const model = z.string().check(z.minLength(1), z.maxLength(200));
/** One price a model, and one for all others. */
const prices = z.array(EnteredPrice).check(
  z.maxLength(100),
  z.refine((list) => new Set(list.map((price) => price.model)).size === list.length, {
    error: "A model has one price.",
  }),
);
/** One size a model. */
const contextWindows = z.array(EnteredContext).check(
  z.maxLength(100),
  z.refine((list) => new Set(list.map((context) => context.model)).size === list.length, {
    error: "A model has one context size.",
  }),
);
const drone = z.object({ drone: Drone });
const provider = z.object({ provider: Provider });
const droneId = z.strictObject({ id: DroneId });
const providerId = z.strictObject({ id: ProviderId });

export const machineRoutes = {
  listProviders: route({
    method: "GET",
    path: "/providers",
    summary: "One's own providers and the shared ones. Keys are never shown.",
    query: z.strictObject(page),
    answer: listOf(Provider),
  }),
  createProvider: route({
    method: "POST",
    path: "/providers",
    summary: "Add a model API.",
    status: 201,
    body: z.strictObject({
      name,
      kind: ProviderKind,
      baseUrl: z.optional(baseUrl),
      apiKey: z.optional(apiKey),
      defaultModel: z.optional(model),
      prices: z.optional(prices),
      contextWindow: z.optional(ContextWindow),
      contextWindows: z.optional(contextWindows),
      reasoningEffort: z.optional(ReasoningEffort),
      shared: z.optional(z.boolean()),
    }),
    answer: provider,
  }),
  updateProvider: route({
    method: "PATCH",
    path: "/providers/:id",
    summary: "Change a provider; an omitted key stays as it is, null removes it.",
    params: providerId,
    body: z.strictObject({
      name: z.optional(name),
      baseUrl: z.optional(z.nullable(baseUrl)),
      apiKey: z.optional(z.nullable(apiKey)),
      defaultModel: z.optional(z.nullable(model)),
      prices: z.optional(z.nullable(prices)),
      contextWindow: z.optional(z.nullable(ContextWindow)),
      contextWindows: z.optional(z.nullable(contextWindows)),
      reasoningEffort: z.optional(z.nullable(ReasoningEffort)),
      shared: z.optional(z.boolean()),
    }),
    answer: provider,
  }),
  deleteProvider: route({
    method: "DELETE",
    path: "/providers/:id",
    summary: "Remove a provider and its key.",
    params: providerId,
    answer: ok,
  }),
  testProvider: route({
    method: "POST",
    path: "/providers/:id/test",
    summary: "Try the provider from a drone and say what is wrong.",
    params: providerId,
    body: z.strictObject({ droneId: z.optional(DroneId) }),
    answer: ProviderTest,
  }),
  listModels: route({
    method: "GET",
    path: "/providers/:id/models",
    summary: "The models that the provider offers, as seen from a drone.",
    params: providerId,
    query: z.strictObject({ ...page, droneId: z.optional(DroneId) }),
    answer: listOf(Model),
  }),
  listDrones: route({
    method: "GET",
    path: "/drones",
    summary: "One's own drones and the shared ones.",
    query: z.strictObject(page),
    answer: listOf(Drone),
  }),
  getDrone: route({
    method: "GET",
    path: "/drones/:id",
    summary: "One drone.",
    params: droneId,
    answer: drone,
  }),
  updateDrone: route({
    method: "PATCH",
    path: "/drones/:id",
    summary: "Rename, label, drain or share a drone.",
    params: droneId,
    body: z.strictObject({
      name: z.optional(name),
      labels: z.optional(z.array(name).check(z.maxLength(20))),
      draining: z.optional(z.boolean()),
      shared: z.optional(z.boolean()),
      /** The notices up to this one have been read. */
      noticesSeenAt: z.optional(Instant),
    }),
    answer: drone,
  }),
  deleteDrone: route({
    method: "DELETE",
    path: "/drones/:id",
    summary: "Revoke a drone: its connection closes at once.",
    params: droneId,
    answer: ok,
  }),
  listDroneTurns: route({
    method: "GET",
    path: "/drones/:id/turns",
    summary: "What runs on a drone now: all of it to its owner, one's own to others.",
    params: droneId,
    query: z.strictObject(page),
    answer: listOf(DroneTurn),
  }),
  getDroneUse: route({
    method: "GET",
    path: "/drones/:id/use",
    summary: "What hangs on one's drone: projects, sessions and turns.",
    params: droneId,
    answer: z.object({ use: DroneUse }),
  }),
  listDroneCommands: route({
    method: "GET",
    path: "/drones/:id/commands",
    summary: "Background commands on a drone: all of them to its owner, one's own to others.",
    params: droneId,
    query: z.strictObject(page),
    answer: listOf(DroneCommand),
  }),
  stopDroneCommand: route({
    method: "POST",
    path: "/drones/:id/commands/:commandId/stop",
    summary: "Stop a background command on one's drone, whoever started it.",
    params: z.strictObject({ id: DroneId, commandId: CommandId }),
    answer: z.object({ stopped: Stopped }),
  }),
  listFolders: route({
    method: "GET",
    path: "/drones/:id/folders",
    summary: "A folder under one of the drone's roots; without a path, the roots.",
    params: droneId,
    query: z.strictObject({ path: z.optional(z.string().check(z.maxLength(4_096))) }),
    answer: FolderListing,
  }),
  createEnrollment: route({
    recent: true,
    method: "POST",
    path: "/drones/enrollments",
    summary: "Make a one-time code (15 minutes) and the command that uses it.",
    status: 201,
    answer: z.object({
      code: z.string(),
      expiresAt: Instant,
      command: z.string(),
      /** Whether the command works on other machines too. */
      elsewhere: z.optional(z.boolean()),
    }),
  }),
  enrollDrone: route({
    method: "POST",
    path: "/drones/enroll",
    summary: "Trade a one-time code for a drone's own credential.",
    access: "public",
    status: 201,
    body: z.strictObject({
      code: z.string().check(z.minLength(10), z.maxLength(200)),
      name,
      host: z.string().check(z.minLength(1), z.maxLength(200), plainLine),
    }),
    answer: z.object({ drone: Drone, credential: z.string() }),
  }),
};
