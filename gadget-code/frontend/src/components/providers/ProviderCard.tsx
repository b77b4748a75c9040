import type { Provider, ProviderTest } from "@gadget/api";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { ProviderModel } from "./ProviderModel.tsx";
import { TestResult } from "./TestResult.tsx";

const kinds: Record<Provider["kind"], string> = {
  openai: "OpenAI-compatible",
  ollama: "Ollama",
  demo: "Scripted, no AI",
};

export function ProviderCard({ provider }: { provider: Provider }) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { isBusy, attempt } = useAttempt();
  const [test, setTest] = useState<ProviderTest>();
  const isMeant = useLocation().hash === `#${provider.id}`;
  const [isEditing, setEditing] = useState(isMeant && provider.mine);
  const [isRemoving, setRemoving] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  const params = { id: provider.id };
  // What failed the last time is marked until it answers.
  const shown = test ?? (provider.lastTest?.ok === false ? provider.lastTest : undefined);

  useEffect(() => {
    if (isMeant) {
      card.current?.scrollIntoView({ block: "start" });
    }
  }, [isMeant]);

  const facts = [
    kinds[provider.kind],
    provider.baseUrl,
    provider.defaultModel,
    provider.hasKey && "has a key",
    provider.prices && "has prices",
  ]
    .filter(Boolean)
    .join(" · ");

  const runTest = () =>
    attempt(async () => {
      setTest(await request("testProvider", { params, body: {} }));
      invalidate("listProviders");
    });
  const onSaved = (): void => {
    setEditing(false);
    void runTest();
  };
  const remove = () =>
    attempt(async () => {
      await request("deleteProvider", { params });
      invalidate("listProviders");
    });

  return (
    <li ref={card} className="card flex flex-col gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <h2 title={provider.name} className="truncate font-medium">
            {provider.name}
          </h2>
          <p title={facts} className="truncate text-xs text-faint">
            {facts}
          </p>
        </div>
        <div className="flex gap-2">
          <Button small disabled={isBusy} onClick={() => void runTest()}>
            {isBusy ? "Testing…" : "Test"}
          </Button>
          {provider.mine && (
            <>
              <Button small aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
                Edit
              </Button>
              <Button small tone="quiet" onClick={() => setRemoving(true)}>
                Remove
              </Button>
            </>
          )}
        </div>
      </div>
      {shown && <TestResult test={shown} />}
      {isEditing && (
        <ProviderModel provider={provider} onSaved={onSaved} onClose={() => setEditing(false)} />
      )}
      {isRemoving && (
        <ConfirmDialog
          title={`Remove ${provider.name}?`}
          verb="Remove"
          onConfirm={() => void remove()}
          onClose={() => setRemoving(false)}
        >
          Its key is deleted. Sessions that use it need another provider for their next turn.
        </ConfirmDialog>
      )}
    </li>
  );
}
