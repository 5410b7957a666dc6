import type { RouteName } from "../../api/index.ts";
import { isFamiliar } from "../../models/model-server.ts";
import { type Models, type NewProvider, providerCheckMs } from "../../models/models.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import type { Confirmations } from "../http/confirmations.ts";
import { done, found } from "./handler-context.ts";

export type ProviderRoute = Extract<RouteName, `providers.${string}`>;

/** @param confirmations for what pages ask; without a daemon there are none */
export function providerHandlers(models: Models, confirmations?: Confirmations): RouteHandlers<ProviderRoute> {
  const confirmAddress = (given: NewProvider, code: string | undefined): void => {
    const { name, baseUrl } = models.planProvider(given);
    const { origin } = new URL(baseUrl);
    const before = models.providers().find((one) => one.from === "added" && one.name === name);
    if (isFamiliar(baseUrl) || (before && new URL(before.baseUrl).origin === origin)) return;
    confirmations?.check(`add the provider ${name} at ${origin}`, code, "galley provider add NAME --url URL");
  };
  return {
    "providers.list": () => ({ providers: models.providers() }),
    "providers.save": ({ params: { name }, body: { code, ...provider } }, { browser }) => {
      const given = { name, ...provider };
      // The daemon's token acts for the person; a page does so for addresses that nobody can have chosen for it.
      if (browser !== undefined) confirmAddress(given, code);
      return models.saveProvider(given);
    },
    "providers.delete": ({ params }) => done(models.removeProvider(params.name)),
    "providers.check": async ({ params: { name } }) => {
      const [answer] = await models.check({ provider: name, timeLimitMs: providerCheckMs });
      return found(answer, "provider", name);
    },
  };
}
