import { Link } from "react-router";
import { useRequest } from "../../lib/use-request.ts";
import { useSession } from "../../session/session-context.ts";

/** Every sentence about a key that a provider refused names it so. */
const aboutKey = /\bAPI key\b/;

/** From a refused key to where it is mended; only the person who entered it can do that. */
export function KeyLink({ reason = "" }: { reason: string | undefined }) {
  const providerId = useSession((state) => state.session?.providerId);
  const enabled = aboutKey.test(reason);
  const providers = useRequest("listProviders", {}, { enabled });
  const provider = providers.data?.items.find(({ id }) => id === providerId);
  if (!enabled || provider?.mine !== true) {
    return null;
  }
  return (
    <p>
      <Link to={`/settings/providers#${provider.id}`} className="font-medium underline">
        Open the settings of {provider.name}
      </Link>
    </p>
  );
}
