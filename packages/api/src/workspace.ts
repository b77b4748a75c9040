import * as z from "zod/mini";
import { FileChange } from "./chat-turn.ts";

export const FolderEntry = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(["file", "folder", "link"]),
  size: z.optional(z.int()),
});
export type FolderEntry = z.infer<typeof FolderEntry>;

/** A folder under one of a drone's roots, for the picker. */
export const FolderListing = z.object({
  path: z.string(),
  parent: z.nullable(z.string()),
  entries: z.array(FolderEntry),
});
export type FolderListing = z.infer<typeof FolderListing>;

/** A file or folder of a workspace; binary content is not sent. */
export const WorkspaceFile = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("folder"), path: z.string(), entries: z.array(FolderEntry) }),
  z.object({
    kind: z.literal("file"),
    path: z.string(),
    size: z.int(),
    binary: z.boolean(),
    cut: z.boolean(),
    text: z.optional(z.string()),
  }),
]);
export type WorkspaceFile = z.infer<typeof WorkspaceFile>;

/** What a search for names has found, by its path in the workspace. */
export const FoundFile = z.object({ path: z.string(), kind: z.enum(["file", "folder"]) });
export type FoundFile = z.infer<typeof FoundFile>;

export const FoundFiles = z.object({
  /** The best first. */
  items: z.array(FoundFile),
  /** Why some names were not looked at. */
  note: z.optional(z.string()),
});
export type FoundFiles = z.infer<typeof FoundFiles>;

export const FileDiff = z.object({ file: FileChange, diff: z.string() });
export type FileDiff = z.infer<typeof FileDiff>;

export const TurnDiff = z.object({
  files: z.array(FileDiff),
  /** whole: the workspace was snapshotted · edits: only files that tools wrote are known */
  coverage: z.enum(["whole", "edits"]),
});
export type TurnDiff = z.infer<typeof TurnDiff>;

/** A session's folder on its drone, and where its git repository is, if it has one of its own. */
export const Workspace = z.object({
  directory: z.string(),
  /** Null: there is no repository, or HEAD is at a commit and no branch is checked out. */
  branch: z.nullable(z.string()),
  /** Null: there is no repository, or the branch has no commit yet. */
  commit: z.nullable(z.string()),
});
export type Workspace = z.infer<typeof Workspace>;

/** All that differs from the last commit, untracked files included, ignored ones not. */
export const WorkspaceDiff = z.object({
  files: z.array(FileDiff),
  /** Changed files that are not in `files`, because there are too many. */
  omitted: z.int().check(z.nonnegative()),
  /** Why there is nothing to compare with. */
  note: z.optional(z.string()),
});
export type WorkspaceDiff = z.infer<typeof WorkspaceDiff>;

export const UndoResult = z.object({
  preview: z.boolean(),
  restored: z.array(FileDiff),
  /** Edited by hand since: left alone, and named. */
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  redo: z.boolean(),
});
export type UndoResult = z.infer<typeof UndoResult>;
