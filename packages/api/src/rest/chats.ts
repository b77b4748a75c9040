import * as z from "zod/mini";
import { ApprovalMode, ChatSession, QueuedMessage, TurnWithTranscript } from "../chat-session.ts";
import { ChatTurn, Stopped } from "../chat-turn.ts";
import { BackgroundCommand } from "../drone.ts";
import { CommandId, DroneId, MessageId, ProjectId, ProviderId, SessionId, TurnId } from "../id.ts";
import { Instant } from "../instant.ts";
import { promptText } from "../messages/ide.ts";
import { Project } from "../project.ts";
import { FoundFile, Workspace, WorkspaceDiff, WorkspaceFile } from "../workspace.ts";
import { listOf, ok, page, route } from "./route.ts";

const name = z.string().check(z.trim(), z.minLength(1), z.maxLength(100));
const title = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));
const model = z.string().check(z.minLength(1), z.maxLength(200));
const path = z.string().check(z.minLength(1), z.maxLength(4_096));
const gitUrl = z.string().check(z.minLength(1), z.maxLength(1_000));
const project = z.object({ project: Project });
const session = z.object({ session: ChatSession });
const sessionList = z.strictObject({ ...page, archived: z.optional(z.enum(["true", "false"])) });
const projectId = z.strictObject({ id: ProjectId });
const sessionId = z.strictObject({ id: SessionId });
const queued = z.strictObject({ id: SessionId, messageId: MessageId });

export const SearchHit = z.object({
  sessionId: SessionId,
  turnId: z.optional(TurnId),
  title: z.string(),
  excerpt: z.string(),
});
export type SearchHit = z.infer<typeof SearchHit>;

export const chatRoutes = {
  listProjects: route({
    method: "GET",
    path: "/projects",
    summary: "One's own projects.",
    query: z.strictObject(page),
    answer: listOf(Project),
  }),
  createProject: route({
    method: "POST",
    path: "/projects",
    summary: "A project on a drone: an existing folder, a git clone, or an empty folder.",
    status: 201,
    body: z.strictObject({
      name,
      droneId: z.optional(DroneId),
      gitUrl: z.optional(gitUrl),
      directory: z.optional(path),
    }),
    answer: project,
  }),
  getProject: route({
    method: "GET",
    path: "/projects/:id",
    summary: "One project.",
    params: projectId,
    answer: project,
  }),
  updateProject: route({
    method: "PATCH",
    path: "/projects/:id",
    summary: "Rename a project, move it to another drone, or allow environment variables.",
    params: projectId,
    body: z.strictObject({
      name: z.optional(name),
      droneId: z.optional(DroneId),
      environment: z.optional(
        z.array(z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/))).check(z.maxLength(50)),
      ),
    }),
    answer: project,
  }),
  deleteProject: route({
    method: "DELETE",
    path: "/projects/:id",
    summary: "Remove a project and its sessions; files on the drone stay.",
    params: projectId,
    answer: ok,
  }),
  startClone: route({
    method: "POST",
    path: "/projects/:id/clone",
    summary: "Clone a git project's repository on its drone, again or from another address.",
    status: 202,
    params: projectId,
    body: z.strictObject({ gitUrl: z.optional(gitUrl) }),
    answer: project,
  }),
  cancelClone: route({
    method: "DELETE",
    path: "/projects/:id/clone",
    summary: "Stop the clone that is under way; answers when nothing of it is left.",
    params: projectId,
    answer: project,
  }),
  listSessions: route({
    method: "GET",
    path: "/sessions",
    summary: "One's own sessions, the latest first; those that were put away only if asked for.",
    query: sessionList,
    answer: listOf(ChatSession),
  }),
  listProjectSessions: route({
    method: "GET",
    path: "/projects/:id/sessions",
    summary: "A project's sessions, the latest first.",
    params: projectId,
    query: sessionList,
    answer: listOf(ChatSession),
  }),
  createSession: route({
    method: "POST",
    path: "/projects/:id/sessions",
    summary: "Start a session; provider and model default to the project's last.",
    status: 201,
    params: projectId,
    body: z.strictObject({
      title: z.optional(title),
      providerId: z.optional(ProviderId),
      model: z.optional(model),
      approval: z.optional(ApprovalMode),
    }),
    answer: session,
  }),
  getSession: route({
    method: "GET",
    path: "/sessions/:id",
    summary: "One session.",
    params: sessionId,
    answer: session,
  }),
  updateSession: route({
    method: "PATCH",
    path: "/sessions/:id",
    summary: "Rename or archive a session, or change its provider, model or approval.",
    params: sessionId,
    body: z.strictObject({
      title: z.optional(title),
      providerId: z.optional(ProviderId),
      model: z.optional(model),
      approval: z.optional(ApprovalMode),
      archived: z.optional(z.boolean()),
    }),
    answer: session,
  }),
  deleteSession: route({
    method: "DELETE",
    path: "/sessions/:id",
    summary: "Remove a session and its turns.",
    params: sessionId,
    answer: ok,
  }),
  forkSession: route({
    method: "POST",
    path: "/sessions/:id/fork",
    summary: "Start a new session with a copy of the turns before this one. Files are not touched.",
    status: 201,
    params: sessionId,
    body: z.strictObject({ before: TurnId }),
    answer: session,
  }),
  getTranscript: route({
    method: "GET",
    path: "/sessions/:id/transcript",
    summary: "The newest turns with their parts; tool output is cut at 4 kB.",
    params: sessionId,
    query: z.strictObject({ before: z.optional(z.string()), limit: page.limit }),
    answer: listOf(TurnWithTranscript),
  }),
  exportSession: route({
    method: "GET",
    path: "/sessions/:id/export",
    summary: "The whole session as JSON or Markdown.",
    params: sessionId,
    query: z.strictObject({ format: z.optional(z.enum(["md", "json"])) }),
    answer: z.object({ session: ChatSession, turns: z.array(TurnWithTranscript) }),
    alternatives: ["text/markdown"],
  }),
  search: route({
    method: "GET",
    path: "/search",
    summary: "Find words in one's own prompts, answers and titles.",
    query: z.strictObject({
      ...page,
      q: z.string().check(z.minLength(1), z.maxLength(200)),
      /** Only the turns of this session. */
      sessionId: z.optional(SessionId),
    }),
    answer: z.extend(listOf(SearchHit), {
      /** The search took long and has ended here: `nextCursor` goes on with what is older. */
      notSearchedBefore: z.optional(Instant),
    }),
  }),
  readFiles: route({
    method: "GET",
    path: "/sessions/:id/files",
    summary: "A file or folder of the workspace, read on the drone.",
    params: sessionId,
    query: z.strictObject({ path: z.optional(z.string().check(z.maxLength(4_096))) }),
    answer: WorkspaceFile,
  }),
  findFiles: route({
    method: "GET",
    path: "/sessions/:id/find",
    summary: "Files and folders of the workspace by a part of their names, the best first.",
    params: sessionId,
    query: z.strictObject({ ...page, q: z.optional(z.string().check(z.maxLength(200))) }),
    answer: z.extend(listOf(FoundFile), {
      /** Why some names were not looked at. */
      note: z.optional(z.string()),
    }),
  }),
  getWorkspace: route({
    method: "GET",
    path: "/sessions/:id/workspace",
    summary: "The session's folder on its drone, with its git branch or commit.",
    params: sessionId,
    answer: z.object({ workspace: Workspace }),
  }),
  getWorkspaceDiff: route({
    method: "GET",
    path: "/sessions/:id/diff",
    summary: "All changes of the workspace since its last commit, compared on the drone.",
    params: sessionId,
    answer: WorkspaceDiff,
  }),
  listCommands: route({
    method: "GET",
    path: "/sessions/:id/commands",
    summary: "Commands of the session that run in the background, asked of the drone.",
    params: sessionId,
    query: z.strictObject(page),
    answer: listOf(BackgroundCommand),
  }),
  stopCommand: route({
    method: "POST",
    path: "/sessions/:id/commands/:commandId/stop",
    summary: "Stop a background command; answers when none of its processes is left.",
    params: z.strictObject({ id: SessionId, commandId: CommandId }),
    answer: z.object({ stopped: Stopped }),
  }),
  listQueue: route({
    method: "GET",
    path: "/sessions/:id/queue",
    summary: "Messages that wait.",
    params: sessionId,
    query: z.strictObject(page),
    answer: listOf(QueuedMessage),
  }),
  updateQueued: route({
    method: "PATCH",
    path: "/sessions/:id/queue/:messageId",
    summary: "Edit a message that waits, or put it before another one (null: at the end).",
    params: queued,
    body: z.strictObject({
      text: z.optional(promptText),
      before: z.optional(z.nullable(MessageId)),
    }),
    answer: z.object({ message: QueuedMessage }),
  }),
  resumeQueue: route({
    method: "POST",
    path: "/sessions/:id/queue/resume",
    summary: "Let messages go on that were paused when a turn was cut off.",
    params: sessionId,
    answer: listOf(QueuedMessage),
  }),
  clearQueue: route({
    method: "DELETE",
    path: "/sessions/:id/queue",
    summary: "Delete all messages that wait.",
    params: sessionId,
    answer: ok,
  }),
  sendQueued: route({
    method: "POST",
    path: "/sessions/:id/queue/:messageId/send",
    summary: "Make a message that waits the next turn, now. Safe to repeat: it becomes one turn.",
    status: 202,
    params: queued,
    answer: z.object({ turn: ChatTurn }),
  }),
  deleteQueued: route({
    method: "DELETE",
    path: "/sessions/:id/queue/:messageId",
    summary: "Delete a message that waits.",
    params: queued,
    answer: ok,
  }),
};
