import type { Provider, ProviderTest } from "@gadget/api";
import { type FormEvent, useState } from "react";
import { textOf } from "../lib/form-text.ts";
import { providerPresets } from "../lib/provider-presets.ts";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { useInvalidate } from "../lib/use-request.ts";
import { Button } from "./Button.tsx";
import { Field } from "./Field.tsx";
import { SelectField } from "./SelectField.tsx";
import { TestResult } from "./TestResult.tsx";

interface Props {
  onDone: (provider: Provider) => void;
  onCancel?: () => void;
}

/** Saves the provider, tries it from a drone, and says what is wrong; a second save mends it. */
export function ProviderForm({ onDone, onCancel }: Props) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const [preset, setPreset] = useState(0);
  const [saved, setSaved] = useState<Provider>();
  const [test, setTest] = useState<ProviderTest>();
  const { kind, name, baseUrl, needsKey } = providerPresets[preset] ?? providerPresets[0]!;

  const save = async (form: FormData): Promise<Provider> => {
    const url = textOf(form, "baseUrl");
    const key = textOf(form, "apiKey");
    const model = textOf(form, "model");
    const fields = {
      name: textOf(form, "name"),
      ...(url !== "" && { baseUrl: url }),
      ...(key !== "" && { apiKey: key }),
      ...(model !== "" && { defaultModel: model }),
    };
    const { provider } = saved
      ? await request("updateProvider", { params: { id: saved.id }, body: fields })
      : await request("createProvider", { body: { kind, ...fields } });
    setSaved(provider);
    invalidate("listProviders");
    return provider;
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setTest(undefined);
    void attempt(async () => {
      const provider = await save(form);
      const result = await request("testProvider", { params: { id: provider.id }, body: {} });
      setTest(result);
      if (result.ok) onDone(provider);
    });
  };

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      {!saved && (
        <SelectField
          label="Kind"
          value={String(preset)}
          onChange={(value) => setPreset(Number(value))}
          options={providerPresets.map((option, index) => ({
            value: String(index),
            label: option.name,
          }))}
        />
      )}
      <Field
        key={`name-${preset}`}
        label="Name"
        name="name"
        defaultValue={name}
        required
        maxLength={100}
      />
      <Field
        key={`url-${preset}`}
        label="Base URL"
        name="baseUrl"
        type="url"
        defaultValue={baseUrl}
        required
        hint="As a drone reaches it: 127.0.0.1 is the drone's own machine."
      />
      <Field
        label={needsKey ? "API key" : "API key (if it needs one)"}
        name="apiKey"
        type="password"
        autoComplete="off"
        required={needsKey && !saved?.hasKey}
      />
      <Field
        label="Default model"
        name="model"
        placeholder="Chosen from its list if empty"
        maxLength={200}
      />
      {problem && (
        <p role="alert" className="text-[13px] text-danger">
          {problem}
        </p>
      )}
      {test && <TestResult test={test} />}
      <div className="flex gap-2">
        <Button type="submit" tone="primary" disabled={isBusy}>
          {isBusy ? "Testing…" : saved ? "Save and test again" : "Save and test"}
        </Button>
        {saved && test && !test.ok && <Button onClick={() => onDone(saved)}>Keep it anyway</Button>}
        {onCancel && <Button onClick={onCancel}>Close</Button>}
      </div>
    </form>
  );
}
