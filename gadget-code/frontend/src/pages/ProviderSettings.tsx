import type { Provider } from "@gadget/api";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ProviderCard } from "../components/providers/ProviderCard.tsx";
import { ProviderForm } from "../components/providers/ProviderForm.tsx";
import { Button } from "../components/ui/Button.tsx";
import { Loading } from "../components/ui/Loading.tsx";
import { useRequest } from "../lib/use-request.ts";

export function ProviderSettings() {
  const providers = useRequest("listProviders", {});
  const [isAdding, setAdding] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        A provider is a model API. It is called by drones, never by the server; its key is stored
        encrypted and is never shown again.
      </p>
      <Loading of={providers}>
        {({ items }) => (
          <ul className="flex flex-col gap-2.5">
            {items.map((provider: Provider) => (
              <ProviderCard key={provider.id} provider={provider} />
            ))}
          </ul>
        )}
      </Loading>
      {isAdding ? (
        <div className="card p-4">
          <h2 className="mb-4 font-semibold">New provider</h2>
          <ProviderForm onDone={() => setAdding(false)} onCancel={() => setAdding(false)} />
        </div>
      ) : (
        <div>
          <Button onClick={() => setAdding(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Add provider
          </Button>
        </div>
      )}
    </div>
  );
}
