import { type BackgroundRequestsOptions, backgroundRequests } from "./background-requests.ts";
import { type FolderRequestsOptions, folderRequests } from "./folder-requests.ts";
import { type ProviderRequestsOptions, providerRequests } from "./provider-requests.ts";

type Options = FolderRequestsOptions & ProviderRequestsOptions & BackgroundRequestsOptions;

export type Requests = ReturnType<typeof createRequests>;

/** The orders that concern files, providers and commands rather than a running turn. */
export function createRequests(options: Options) {
  return {
    ...folderRequests(options),
    ...providerRequests(options),
    ...backgroundRequests(options),
  };
}
