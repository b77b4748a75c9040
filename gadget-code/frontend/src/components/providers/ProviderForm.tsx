import type { Provider, ProviderTest } from "@gadget/api";
import { type FormEvent, useRef, useState } from "react";
import { sentenceOf } from "../../lib/api.ts";
import { useServices } from "../../lib/services.ts";
import { textOf } from "../../lib/text-of.ts";
import { showToast } from "../../lib/toast.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { FormFooter } from "../ui/FormFooter.tsx";
import { SelectField } from "../ui/SelectField.tsx";
import { providerPresets } from "./provider-presets.ts";
import { TestResult } from "./TestResult.tsx";

interface Props {
  onDone: (provider: Provider) => void;
  onCancel?: () => void;
}

/**
 * Tries the provider from a drone and keeps it if it answers. A drone can try only what is stored:
 * one that does not answer is taken away again, unless somebody wants it as it is.
 */
export function ProviderForm({ onDone, onCancel }: Props) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const [preset, setPreset] = useState(0);
  const [test, setTest] = useState<ProviderTest>();
  const { kind, name, baseUrl, needsKey } = providerPresets[preset] ?? providerPresets[0]!;

  const save = async (form: FormData, anyway: boolean): Promise<void> => {
    const url = textOf(form, "baseUrl");
    const key = textOf(form, "apiKey");
    const model = textOf(form, "model");
    const fields = {
      name: textOf(form, "name"),
      ...(url !== "" && { baseUrl: url }),
      ...(key !== "" && { apiKey: key }),
      ...(model !== "" && { defaultModel: model }),
    };
    const { provider } = await request("createProvider", { body: { kind, ...fields } });
    const params = { id: provider.id };
    const result = await request("testProvider", { params, body: {} }).catch((error: unknown) => ({
      ok: false,
      message: sentenceOf(error),
    }));
    setTest(result);
    if (!result.ok && !anyway) {
      await request("deleteProvider", { params });
      return;
    }
    invalidate("listProviders");
    showToast(result.ok ? `Saved. ${result.message}` : "Saved. It did not answer the test.", {
      tone: result.ok ? "success" : "warning",
    });
    onDone(provider);
  };

  const form = useRef<HTMLFormElement>(null);
  const submit = (anyway: boolean): void => {
    if (form.current === null) {
      return;
    }
    const fields = new FormData(form.current);
    setTest(undefined);
    void attempt(() => save(fields, anyway));
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    submit(false);
  };

  return (
    <form ref={form} onSubmit={onSubmit} className="flex flex-col gap-4">
      <SelectField
        label="Kind"
        value={String(preset)}
        onChange={(value) => setPreset(Number(value))}
        options={providerPresets.map((option, index) => ({
          value: String(index),
          label: option.name,
        }))}
      />
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
        required={needsKey}
      />
      <Field
        label="Default model"
        name="model"
        placeholder="Chosen from its list if empty"
        maxLength={200}
      />
      {test && <TestResult test={test} />}
      <FormFooter problem={problem}>
        <Button type="submit" tone="primary" disabled={isBusy}>
          {isBusy ? "Testing…" : test ? "Save and test again" : "Save and test"}
        </Button>
        {test && !test.ok && (
          <Button disabled={isBusy} onClick={() => submit(true)}>
            Save anyway
          </Button>
        )}
        {onCancel && <Button onClick={onCancel}>Close</Button>}
      </FormFooter>
    </form>
  );
}
