import type { Provider } from "@gadget/api";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { textOf } from "../../lib/text-of.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";

type Contexts = Pick<Provider, "contextWindow" | "contextWindows">;

const size = { type: "number", min: 2_048, max: 10_000_000, inputMode: "numeric" } as const;

/** How much the models can read. Its inputs belong to the form around it; `models` is a datalist. */
export function ContextFields({ contexts, models }: { contexts: Contexts; models: string }) {
  const [rows, setRows] = useState(() =>
    (contexts.contextWindows ?? []).map((set, key) => ({ key, ...set })),
  );
  const add = () => {
    const key = (rows.at(-1)?.key ?? -1) + 1;
    setRows([...rows, { key, model: "", contextWindow: 0 }]);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Context sizes</legend>
      <Field
        label="Context size, in tokens"
        name="contextWindow"
        {...size}
        defaultValue={contexts.contextWindow}
        placeholder="As the model says"
        hint="How much its models can read. Set it where the server does not say, or says too much."
      />
      {rows.map(({ key, model, contextWindow }) => (
        <div
          key={key}
          className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)_auto] items-end gap-2"
        >
          <input type="hidden" name="context" value={key} />
          <label className="flex flex-col gap-1 text-xs text-muted">
            Model
            <input
              className="field"
              name={`context-${key}-model`}
              defaultValue={model}
              list={models}
              required
              maxLength={200}
            />
          </label>
          <label className="flex flex-col gap-1 text-xs text-muted">
            Its context size
            <input
              className="field"
              name={`context-${key}-size`}
              {...size}
              defaultValue={contextWindow === 0 ? undefined : contextWindow}
              required
            />
          </label>
          <Button
            small
            tone="quiet"
            aria-label="Remove this context size"
            onClick={() => setRows(rows.filter((row) => row.key !== key))}
          >
            <X aria-hidden="true" className="size-4" />
          </Button>
        </div>
      ))}
      <div>
        <Button small onClick={add}>
          <Plus aria-hidden="true" className="size-3.5" />
          Add a size for one model
        </Button>
      </div>
    </fieldset>
  );
}

/** What the fields hold; null: nothing is set. */
export function contextsOf(form: FormData) {
  const all = textOf(form, "contextWindow");
  const keys = form.getAll("context").filter((key) => typeof key === "string");
  const single = keys.map((key) => ({
    model: textOf(form, `context-${key}-model`).trim(),
    contextWindow: Number(textOf(form, `context-${key}-size`)),
  }));
  return {
    contextWindow: all === "" ? null : Number(all),
    contextWindows: single.length === 0 ? null : single,
  };
}
