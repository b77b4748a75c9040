import { type Provider, ReasoningEffort } from "@gadget/api";
import { type FormEvent, useId, useState } from "react";
import { useServices } from "../../lib/services.ts";
import { textOf } from "../../lib/text-of.ts";
import { showToast } from "../../lib/toast.ts";
import { useAttempt } from "../../lib/use-attempt.ts";
import { useInvalidate, useRequest } from "../../lib/use-request.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { FormFooter } from "../ui/FormFooter.tsx";
import { SelectField } from "../ui/SelectField.tsx";
import { ContextFields, contextsOf } from "./ContextFields.tsx";
import { PriceFields, pricesOf } from "./PriceFields.tsx";

const efforts = [
  { value: "", label: "As the model decides" },
  { value: "off", label: "Off" },
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
];

interface Props {
  provider: Provider;
  onSaved: () => void;
  onClose: () => void;
}

/** A provider's details: what is left empty here stays as it is. */
export function ProviderModel({ provider, onSaved, onClose }: Props) {
  const { request } = useServices();
  const invalidate = useInvalidate();
  const { isBusy, problem, attempt } = useAttempt({ inline: true });
  const models = useRequest("listModels", { params: { id: provider.id } });
  const list = useId();
  const [effort, setEffort] = useState<string>(provider.reasoningEffort ?? "");

  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const key = textOf(form, "apiKey");
    const model = textOf(form, "model");
    const url = textOf(form, "baseUrl");
    const prices = pricesOf(form);
    void attempt(async () => {
      await request("updateProvider", {
        params: { id: provider.id },
        body: {
          name: textOf(form, "name"),
          defaultModel: model === "" ? null : model,
          ...(url !== "" && { baseUrl: url }),
          ...(key !== "" && { apiKey: key }),
          ...contextsOf(form),
          reasoningEffort: ReasoningEffort.safeParse(effort).data ?? null,
          prices: prices.length === 0 ? null : prices,
          shared: form.get("shared") === "on",
        },
      });
      invalidate("listProviders");
      showToast("Saved.", { tone: "success" });
      onSaved();
    });
  };

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4 border-t border-line pt-4">
      <Field label="Name" name="name" defaultValue={provider.name} required maxLength={100} />
      {provider.kind !== "demo" && (
        <>
          <Field label="Base URL" name="baseUrl" type="url" defaultValue={provider.baseUrl} />
          <Field
            label="API key"
            name="apiKey"
            type="password"
            autoComplete="off"
            placeholder={provider.hasKey ? "Stored; type to replace it" : ""}
          />
        </>
      )}
      <Field
        label="Default model"
        name="model"
        defaultValue={provider.defaultModel}
        list={list}
        {...(models.problem === undefined
          ? {}
          : { hint: `Its models can't be listed: ${models.problem}` })}
      />
      <datalist id={list}>
        {models.data?.items.map((model) => (
          <option key={model.id} value={model.id}>
            {model.name}
          </option>
        ))}
      </datalist>
      {provider.kind !== "demo" && <ContextFields contexts={provider} models={list} />}
      {provider.kind !== "demo" && (
        <SelectField
          label="Thinking"
          value={effort}
          options={efforts}
          onChange={setEffort}
          hint="Choose one only if its models can think; others refuse it."
        />
      )}
      {provider.kind !== "demo" && <PriceFields prices={provider.prices ?? []} models={list} />}
      <label className="flex items-center gap-2 text-[13px]">
        <input type="checkbox" name="shared" defaultChecked={provider.shared} />
        Members may use it too. Its key goes only to your drones.
      </label>
      <FormFooter problem={problem}>
        <Button type="submit" tone="primary" disabled={isBusy}>
          Save
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormFooter>
    </form>
  );
}
