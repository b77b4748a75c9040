import type { ApprovalMode, ChatSession, ProviderId } from "@gadget/api";
import type { CommandContext } from "../command-context.ts";
import { plainText } from "../print/plain-text.ts";
import { shownId } from "../print/turn-line.ts";
import { everyItem } from "./every-item.ts";
import { findProject } from "./find-project.ts";
import { pick } from "./pick.ts";

export interface SessionOptions {
  project?: string;
  session?: string;
  provider?: string;
  model?: string;
  approval?: ApprovalMode;
}

/** The session that is named, with what was asked for changed in it, or a new one in a project. */
export async function openSession(
  context: CommandContext,
  options: SessionOptions,
): Promise<ChatSession> {
  const { client, signal } = context;
  const choice = await choiceOf(context, options);
  if (options.session === undefined) {
    const { id } = await findProject(context, options.project);
    return (await client.request("createSession", { params: { id }, body: choice, signal }))
      .session;
  }
  const session = await findSession(context, options.session, options.project);
  if (Object.keys(choice).length === 0) {
    return session;
  }
  const params = { id: session.id };
  return (await client.request("updateSession", { params, body: choice, signal })).session;
}

async function findSession(
  context: CommandContext,
  named: string,
  project: string | undefined,
): Promise<ChatSession> {
  const { client, signal } = context;
  const params = project === undefined ? undefined : await findProject(context, project);
  const sessions = await everyItem((cursor) => {
    const query = { limit: 200, ...cursor };
    return params === undefined
      ? client.request("listSessions", { query, signal })
      : client.request("listProjectSessions", { params: { id: params.id }, query, signal });
  });
  return pick(sessions, named, {
    noun: "session",
    id: ({ id }) => id,
    name: ({ title }) => title,
    describe: ({ id, title }) => `${id.slice(0, shownId)}  ${plainText(title)}`,
  });
}

interface Choice {
  providerId?: ProviderId;
  model?: string;
  approval?: ApprovalMode;
}

async function choiceOf(context: CommandContext, options: SessionOptions): Promise<Choice> {
  const { provider, model, approval } = options;
  const choice: Choice = {};
  if (provider !== undefined) {
    choice.providerId = await findProvider(context, provider);
  }
  if (model !== undefined) {
    choice.model = model;
  }
  if (approval !== undefined) {
    choice.approval = approval;
  }
  return choice;
}

async function findProvider(
  { client, signal }: CommandContext,
  named: string,
): Promise<ProviderId> {
  const providers = await everyItem((cursor) =>
    client.request("listProviders", { query: { limit: 200, ...cursor }, signal }),
  );
  return pick(providers, named, {
    noun: "provider",
    id: ({ id }) => id,
    name: ({ name }) => name,
    describe: ({ id, name }) => `${id.slice(0, shownId)}  ${plainText(name)}`,
  }).id;
}
