import type { AnswerOf, Project, Provider } from "@gadget/api";
import { useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { NewProjectDialog } from "../components/projects/NewProjectDialog.tsx";
import { ProviderForm } from "../components/providers/ProviderForm.tsx";
import { GatePage } from "../components/shell/GatePage.tsx";
import { Button } from "../components/ui/Button.tsx";
import { Loading } from "../components/ui/Loading.tsx";
import { useServices } from "../lib/services.ts";
import { useAttempt } from "../lib/use-attempt.ts";
import { type Loaded, useRequest } from "../lib/use-request.ts";

/** The way from an account to a first session: a provider, a project. It can be left and resumed. */
export function WelcomePage() {
  // What was chosen stands in the address: a reload goes on from there.
  const [search, setSearch] = useSearchParams();
  const chosen = search.get("provider");
  const providers = useRequest("listProviders", {});
  const choose = ({ id }: Provider) => setSearch({ provider: id });
  if (chosen === null) {
    return <ChooseProvider providers={providers} onChoose={choose} />;
  }
  if (providers.data === undefined) {
    return (
      <GatePage title="Choose a project">
        <Loading of={providers}>{() => null}</Loading>
      </GatePage>
    );
  }
  const provider = providers.data.items.find(({ id }) => id === chosen);
  return provider === undefined ? (
    <ChooseProvider providers={providers} onChoose={choose} />
  ) : (
    <ChooseProject provider={provider} />
  );
}

interface ProviderProps {
  providers: Loaded<AnswerOf<"listProviders">>;
  onChoose: (provider: Provider) => void;
}

function ChooseProvider({ providers, onChoose }: ProviderProps) {
  const [isAdding, setAdding] = useState(false);
  if (isAdding) {
    return (
      <GatePage title="Add a provider">
        <ProviderForm onDone={onChoose} onCancel={() => setAdding(false)} />
      </GatePage>
    );
  }
  return (
    <GatePage title="Choose a model">
      <div className="flex flex-col gap-2">
        <Loading of={providers}>
          {({ items }) =>
            items.map((provider) => (
              <Button
                key={provider.id}
                className="h-auto! justify-start! py-2"
                onClick={() => onChoose(provider)}
              >
                <span className="text-left">
                  <span className="block">{provider.name}</span>
                  <span className="block text-xs font-normal text-faint">
                    {provider.kind === "demo"
                      ? "No AI and no key: to try things out"
                      : provider.baseUrl}
                  </span>
                </span>
              </Button>
            ))
          }
        </Loading>
        <Button tone="primary" onClick={() => setAdding(true)}>
          Add a provider
        </Button>
        <Link to="/" className="mt-2 self-center text-[13px] text-muted underline">
          Skip
        </Link>
      </div>
    </GatePage>
  );
}

function ChooseProject({ provider }: { provider: Provider }) {
  const { request } = useServices();
  const navigate = useNavigate();
  const projects = useRequest("listProjects", {}, { everyMs: 3_000 });
  const { isBusy, attempt } = useAttempt();
  const [isAdding, setAdding] = useState(false);

  const start = (project: Project): void => {
    // The demo's commands only print: nothing has to be approved to try them. The page says so.
    const isTrial = provider.kind === "demo" && project.source.kind === "sample";
    void attempt(async () => {
      const { session } = await request("createSession", {
        params: { id: project.id },
        body: { providerId: provider.id, ...(isTrial && { approval: "auto" }) },
      });
      await navigate(`/sessions/${session.id}`, { replace: true });
    });
  };

  return (
    <GatePage title="Choose a project">
      <div className="flex flex-col gap-2">
        <Loading of={projects}>
          {({ items }) =>
            items.map((project) => (
              <Button key={project.id} disabled={isBusy} onClick={() => start(project)}>
                {project.name}
              </Button>
            ))
          }
        </Loading>
        <Button tone="primary" onClick={() => setAdding(true)}>
          Open a folder
        </Button>
        <Link to="/" className="mt-2 self-center text-[13px] text-muted underline">
          Skip
        </Link>
      </div>
      {isAdding && <NewProjectDialog onClose={() => setAdding(false)} />}
    </GatePage>
  );
}
