import { RefusalError, type WorkspaceSource } from "@gadget/api";

/** Where a new project's files come from; only addresses that git may clone are taken. */
export function sourceOf(
  gitUrl: string | undefined,
  directory: string | undefined,
): WorkspaceSource {
  if (gitUrl !== undefined && directory !== undefined) {
    throw new RefusalError("invalid", "Give a Git address or a folder, not both.");
  }
  if (gitUrl !== undefined) {
    const usable = /^(?:https?|ssh|git):\/\/[^\s-]\S*$|^[\w.-]+@[\w.-]+:[^\s-]\S*$/.test(gitUrl);
    if (!usable) {
      throw new RefusalError(
        "invalid",
        "Use an address that starts with https:// or ssh://, or one like git@example.org:me/project.git.",
      );
    }
    return { kind: "git", gitUrl };
  }
  return directory === undefined ? { kind: "empty" } : { kind: "directory", directory };
}
