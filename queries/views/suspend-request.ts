import type { Application } from '#api/v1alpha1/application.js';
import { PIN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { listed } from '#lib/text/text.js';
import { clusterPins } from './rollback-request.js';
import type { Requested } from './rollout-request.js';

const NAMED = 10;

type Config = NonNullable<Application['spec']['fluxApp']>['spec']['config'];

/** Why nothing may be asked of an Application that Flux's kinds do not carry out; else its configuration. */
export function fluxConfig({ spec, status }: Application): { readonly config: Config } | { readonly refused: string } {
  const config = spec.fluxApp?.spec.config;
  if ((status?.kind ?? spec.kind) === 'argocd') return { refused: 'it has kind argocd, which is not reconciled yet' };
  return config === undefined ? { refused: 'it has no spec.fluxApp.spec.config' } : { config };
}

/** Entries that say by themselves whether they are suspended, as `deploy[2]`. */
function entriesWith({ helmRelease, kustomization }: Config, suspended: boolean): string[] {
  const lists = { deploy: helmRelease?.deploy ?? [], kustomization: kustomization ?? [] };
  return Object.entries(lists).flatMap(([list, entries]) =>
    entries.flatMap(({ name, suspend, paused }, index) =>
      (suspend ?? paused) === suspended ? [name ?? `${list}[${index}]`] : [],
    ),
  );
}

function inSpec(suspend: true | null): Pick<Extract<Requested, { done: string }>, 'annotations' | 'spec'> {
  return { annotations: {}, spec: { fluxApp: { spec: { config: { suspend } } } } };
}

/** Suspends all entries that do not say otherwise. Never throws. */
export function suspendRequest(application: Application): Requested {
  const found = fluxConfig(application);
  if ('refused' in found) return found;
  const { name, annotations = {} } = application.metadata;
  const pin = annotations[PIN_ANNOTATION];
  if (pin !== undefined) {
    return { refused: `it is pinned to revision ${pin}, which counts: \`fairlead rollback ${name} --release\` first` };
  }
  if (found.config.suspend === true) return { refused: 'it is suspended already' };
  const others = entriesWith(found.config, false);
  const pinned = [...clusterPins(application).keys()];
  const except = [
    others.length === 0 ? '' : `; not suspended, for they say so themselves: ${listed(others, NAMED)}`,
    pinned.length === 0 ? '' : `; pinned clusters are as their revisions say: ${listed(pinned, NAMED)}`,
  ].join('');
  const done = `suspended: what runs stays, and nothing is reconciled until \`fairlead resume ${name}\`${except}`;
  return { ...inSpec(true), done };
}

/** Ends that. Never throws. */
export function resumeRequest(application: Application): Requested {
  const found = fluxConfig(application);
  if ('refused' in found) return found;
  const own = entriesWith(found.config, true);
  const bySelf = `suspended by themselves, where the Application comes from: ${listed(own, NAMED)}`;
  if (found.config.suspend !== true) return { refused: own.length === 0 ? 'it is not suspended' : bySelf };
  return { ...inSpec(null), done: own.length === 0 ? 'resumed' : `resumed; ${bySelf}` };
}
