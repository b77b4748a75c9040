import {
  type ApprovalMode,
  type BodyOf,
  type ChatSession,
  ApprovalMode as Mode,
  type Provider,
} from "@gadget/api";
import { ChevronDown } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import { useServices } from "../../lib/services.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useRequest } from "../../lib/use-request.ts";
import { useSession, useSessionFeed } from "../../session/session-context.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { useSheet } from "../ui/use-sheet.ts";

const modes: Record<ApprovalMode, string> = {
  auto: "Never ask",
  edits: "Ask for commands",
  ask: "Ask for everything",
  "read-only": "Read only",
};

const look =
  "field-sizing-content h-7 max-w-44 min-w-0 shrink truncate rounded-md border border-transparent bg-transparent px-1.5 text-[13px] text-muted hover:bg-hover hover:text-ink";

/** Approval mode and model, beside the composer. Both may be changed while a turn runs. */
export function SessionChoices() {
  const session = useSession((state) => state.session);
  return session === undefined ? null : <Choices session={session} />;
}

function Choices({ session }: { session: ChatSession }) {
  const { request } = useServices();
  const feed = useSessionFeed();
  const { attempt } = useAttempt();
  const change = (body: BodyOf<"updateSession">): void => {
    void attempt(async () => {
      const answer = await request("updateSession", { params: { id: session.id }, body });
      feed.store.setState({ session: answer.session });
    });
  };
  const sheet = useSheet("choices");
  const choices = (
    <>
      <select
        aria-label="Approval mode"
        className={look}
        value={session.approval}
        onChange={(event) => change({ approval: Mode.parse(event.target.value) })}
      >
        {Mode.options.map((mode) => (
          <option key={mode} value={mode}>
            {modes[mode]}
          </option>
        ))}
      </select>
      <ModelPicker session={session} onChange={change} />
    </>
  );
  return (
    <>
      <div className="hidden min-w-0 items-center gap-1 sm:flex">{choices}</div>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={`Choices: ${modes[session.approval]}, ${session.model ?? "none"}`}
        className="flex h-7 min-w-0 items-center gap-1 rounded-md px-1.5 text-[13px] text-muted hover:bg-hover sm:hidden"
        onClick={sheet.open}
      >
        <span className="truncate">
          {modes[session.approval]} · {session.model ?? "No model"}
        </span>
        <ChevronDown aria-hidden="true" className="size-3.5 shrink-0" />
      </button>
      {sheet.isOpen && (
        <Dialog title="Choices of this session" onClose={sheet.close}>
          <div className="flex flex-col gap-3 [&_select]:h-10 [&_select]:max-w-none [&_select]:border-line-strong [&_select]:text-base">
            {choices}
            <Button tone="primary" onClick={sheet.close}>
              Done
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

interface PickerProps {
  session: ChatSession;
  onChange: (body: BodyOf<"updateSession">) => void;
}

function ModelPicker({ session, onChange }: PickerProps) {
  const providers = useRequest("listProviders", {});
  // Until the names are known the choice would be an empty box.
  if (providers.data === undefined) {
    return null;
  }
  // The one that was chosen may be gone.
  const current = providers.data.items.find(({ id }) => id === session.providerId);
  return (
    <>
      <select
        aria-label="Provider"
        className={look}
        value={current?.id ?? ""}
        onChange={(event) => {
          const provider = providers.data?.items.find(({ id }) => id === event.target.value);
          if (provider === undefined) {
            return;
          }
          // The server takes its default model with it; without one, the first is taken below.
          onChange({ providerId: provider.id });
        }}
      >
        {current === undefined && <option value="">Choose a provider</option>}
        {providers.data.items.map((provider) => (
          <option key={provider.id} value={provider.id}>
            {provider.name}
          </option>
        ))}
      </select>
      {current && <Models provider={current} chosen={session.model} onChange={onChange} />}
    </>
  );
}

interface ModelsProps {
  provider: Provider;
  chosen: string | null;
  onChange: PickerProps["onChange"];
}

const demoModel = "demo";

function Models({ provider, chosen, onChange }: ModelsProps) {
  const models = useRequest("listModels", { params: { id: provider.id } });
  const { defaultModel } = provider;
  const first = defaultModel ?? models.data?.items[0]?.id;
  const isDemos =
    chosen === demoModel &&
    provider.kind !== "demo" &&
    models.data !== undefined &&
    ![defaultModel, ...models.data.items.map(({ id }) => id)].includes(demoModel);
  const model = isDemos ? null : chosen;
  const take = useEffectEvent((name: string) => onChange({ model: name }));
  useEffect(() => {
    if (model === null && first !== undefined) {
      take(first);
    }
  }, [model, first]);
  const names = new Set(models.data?.items.map(({ id }) => id));
  if (model !== null) {
    names.add(model);
  }
  if (names.size === 0) {
    return null;
  }
  return (
    <select
      aria-label="Model"
      className={look}
      value={model ?? ""}
      onChange={(event) => onChange({ model: event.target.value })}
    >
      {model === null && <option value="">Choose a model</option>}
      {[...names].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
