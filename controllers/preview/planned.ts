import type { Application } from '#api/v1alpha1/application.js';
import { clusterView, inventoryCaches } from '../application/clusters.js';
import type { Pass } from '../application/deps.js';
import { decide } from '../application/model/decide.js';
import { validate } from '../application/model/validate.js';
import { observe, observeWanted } from '../application/observe.js';
import { applicationDeps } from '../application/setup.js';
import { templateView } from '../application/templates.js';
import { createLogger } from '../runtime/log.js';
import { askedEntries, type Asked } from './asked-entries.js';
import { CONTROLLER, readableDeployment } from './installation.js';
import { rulesOf } from './installed-flags.js';
import { LazyRenderer } from './lazy-renderer.js';
import { limitLines } from './limits.js';
import { isDecisive, PlanObjects } from './plan-objects.js';
import { planView, publishedChildren, type PlanView, type PublishedChild } from './plan-view.js';
import { PreviewError } from './preview-error.js';
import type { Reading } from './reading.js';
import type { Limit } from './snapshot.js';

const record = (): void => {
  throw new Error('nothing is recorded');
};

/** What a reconciliation has, from what the user may read. */
async function passOf(application: Application, { kube, offload, signal, ...reading }: Reading) {
  const installed = await readableDeployment(kube, { signal });
  const { namespace: controllerNamespace = '' } = installed?.metadata ?? CONTROLLER;
  // As with a dry run, it is said what becomes of a child in the end.
  const settings = { ...rulesOf(installed), controllerNamespace, removalDelayMs: 0 };
  const objects = new PlanObjects();
  const context = { kube, offload, cache: objects.cache, now: Date.now, events: { record } };
  const deps = applicationDeps(context, settings, inventoryCaches(objects.forClusters, settings));
  const limits = await objects.read(application, { kube, offload, signal, ...reading });
  const helm = new LazyRenderer(reading.findRenderer);
  const pass: Pass = { ...deps, renderValues: helm.render, signal, log: createLogger('silent') };
  return { pass, limits, helm };
}

/** Throws a PreviewError if there would be too much to compute. */
function checkSize(application: Application, { templates, inventory, rules }: Pass, asked: Asked): void {
  const view = { templates: templateView(templates), clusters: clusterView(inventory) };
  const validation = validate(application, view, rules);
  if (validation !== 'pending' && !('violation' in validation)) askedEntries(validation.entries, asked);
}

function refuseUnread(limits: readonly Limit[]): void {
  const decisive = limits.filter(isDecisive);
  if (decisive.length > 0) throw new PreviewError('Forbidden', limitLines(decisive).join(' '));
}

/** A plan, and what the engine says of the children that are there. */
export interface Planned extends PlanView {
  readonly published: readonly PublishedChild[];
}

/**
 * What the controller would do of an Application, which need not exist: what a reconciliation decides, which does not
 * happen. Throws a PreviewError if that cannot be said.
 */
export async function readPlan(
  application: Application,
  { mostCharacters }: Pick<Asked, 'mostCharacters'>,
  reading: Reading,
): Promise<Planned> {
  const { pass, limits, helm } = await passOf(application, reading);
  refuseUnread(limits);
  checkSize(application, pass, { mostCharacters });
  const wanted = await observeWanted(application, pass);
  if (wanted === 'pending') throw new PreviewError('Pending', 'its template has no status yet: try again');
  if (helm.problem !== undefined) throw new PreviewError('Unrendered', helm.problem);
  const isSure = 'violation' in wanted.validation || wanted.validation.selections.length === 0;
  const observed = observe(application, wanted, pass);
  const view = planView(decide(observed));
  const unknown = isSure ? [] : clusterView(pass.inventory).lost;
  const published = publishedChildren(observed.owned);
  return { ...view, published, notes: [...limitLines(limits), ...unknown, ...view.notes] };
}
