import type { ReactNode } from "react";
import type { Loaded } from "../../lib/use-request.ts";
import { Button } from "./Button.tsx";

interface Props<Data> {
  of: Loaded<Data>;
  children: (data: Data) => ReactNode;
}

/** What is asked of the server: it comes, it is there, or it failed and can be asked again. */
export function Loading<Data>({ of: { data, problem, reload }, children }: Props<Data>) {
  if (data !== undefined) {
    return children(data);
  }
  if (problem === undefined) {
    return <Skeleton />;
  }
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 text-danger">
      <p>{problem}</p>
      <Button small onClick={reload}>
        Try again
      </Button>
    </div>
  );
}

function Skeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2.5">
      <div className="pulse h-4 w-2/3 rounded bg-hover" />
      <div className="pulse h-4 w-full rounded bg-hover" />
      <div className="pulse h-4 w-1/2 rounded bg-hover" />
    </div>
  );
}
