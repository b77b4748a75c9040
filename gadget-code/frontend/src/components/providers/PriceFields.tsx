import type { ModelPrice } from "@gadget/api";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { textOf } from "../../lib/text-of.ts";
import { Button } from "../ui/Button.tsx";

interface Row {
  key: number;
  price?: ModelPrice;
}

/** What a million tokens cost, by model. Its inputs belong to the form around it. */
export function PriceFields({ prices, models }: { prices: readonly ModelPrice[]; models: string }) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    prices.map((price, key) => ({ key, price })),
  );
  const add = () => setRows([...rows, { key: (rows.at(-1)?.key ?? -1) + 1 }]);
  const remove = (key: number) => setRows(rows.filter((row) => row.key !== key));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-[13px] font-medium">Prices, US$ per million tokens</legend>
      <p className="text-xs text-faint">
        With a price, turns and sessions show what they cost. Leave the model empty for all other
        models.
      </p>
      {rows.map((row) => (
        <PriceRow key={row.key} row={row} models={models} onRemove={() => remove(row.key)} />
      ))}
      <div>
        <Button small onClick={add}>
          <Plus aria-hidden="true" className="size-3.5" />
          Add price
        </Button>
      </div>
    </fieldset>
  );
}

interface RowProps {
  row: Row;
  models: string;
  onRemove: () => void;
}

function PriceRow({ row: { key, price }, models, onRemove }: RowProps) {
  const amounts = [
    { name: "input", label: "Input", required: true },
    { name: "output", label: "Output", required: true },
    { name: "cachedInput", label: "Cached input", required: false },
  ] as const;
  return (
    <div className="grid grid-cols-[repeat(3,minmax(0,1fr))_auto] items-end gap-2 sm:grid-cols-[minmax(0,2fr)_repeat(3,minmax(0,1fr))_auto]">
      <input type="hidden" name="price" value={key} />
      <label className="col-span-full flex flex-col gap-1 text-xs text-muted sm:col-span-1">
        Model
        <input
          className="field"
          name={`price-${key}-model`}
          defaultValue={price?.model}
          placeholder="All models"
          list={models}
          maxLength={200}
        />
      </label>
      {amounts.map(({ name, label, required }) => (
        <label key={name} className="flex flex-col gap-1 text-xs text-muted">
          {label}
          <input
            className="field"
            name={`price-${key}-${name}`}
            type="number"
            min={0}
            max={1_000_000}
            step="any"
            inputMode="decimal"
            defaultValue={price?.[name]}
            required={required}
          />
        </label>
      ))}
      <Button small tone="quiet" aria-label="Remove this price" onClick={onRemove}>
        <X aria-hidden="true" className="size-4" />
      </Button>
    </div>
  );
}

/** What the fields hold. */
export function pricesOf(form: FormData): ModelPrice[] {
  const keys = form.getAll("price").filter((key) => typeof key === "string");
  return keys.map((key) => {
    const read = (name: string) => textOf(form, `price-${key}-${name}`).trim();
    const model = read("model");
    const cached = read("cachedInput");
    return {
      ...(model !== "" && { model }),
      input: Number(read("input")),
      output: Number(read("output")),
      ...(cached !== "" && { cachedInput: Number(cached) }),
    };
  });
}
