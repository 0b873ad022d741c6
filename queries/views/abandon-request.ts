import type { Application } from '#api/v1alpha1/application.js';
import { ABANDON_ANNOTATION, abandonedNames, EVERY_CLUSTER } from '#api/v1alpha1/labels.js';
import { knownState } from '#api/v1alpha1/states.js';
import { listed } from '#lib/text/text.js';
import type { Requested } from './rollout-request.js';

const NAMED = 20;
/** It answers as long as anybody can ask for this. */
const HOST = 'host';

/** Clusters that may be given up: a release there is being deleted, or cannot be reached. Sorted. */
export function stuckClusters({ status }: Application): string[] {
  const stuck = (status?.destinations ?? []).filter(({ state }) => knownState(state)?.mayAbandon === true);
  const names = new Set(stuck.map(({ cluster = '' }) => cluster));
  return [...names].filter((name) => name !== '' && name !== HOST).sort();
}

function refusal(application: Application, cluster: string): string | undefined {
  const [names, stuck] = [abandonedNames(application), stuckClusters(application)];
  if (names.includes(EVERY_CLUSTER)) return 'all its clusters are abandoned already';
  // The annotation would mean all of them.
  if (cluster === EVERY_CLUSTER) return `a cluster that is called ${EVERY_CLUSTER} cannot be abandoned by its name`;
  if (names.includes(cluster)) return `cluster ${cluster} is abandoned already`;
  if (stuck.includes(cluster)) return undefined;
  const others = stuck.length === 0 ? '' : `, only on ${listed(stuck, NAMED)}`;
  return `on cluster ${cluster} nothing is being deleted or unreachable${others}`;
}

/**
 * The annotation that gives up one more cluster: what is being deleted there is not waited for, and what it installed
 * stays. Never throws.
 */
export function abandonRequest(application: Application, cluster: string | undefined): Requested {
  if (cluster === undefined) return { refused: 'say which cluster: the field cluster' };
  const refused = refusal(application, cluster);
  if (refused !== undefined) return { refused };
  const names = [...new Set([...abandonedNames(application), cluster])];
  const done =
    `cluster ${cluster} is abandoned: releases that are being deleted there go without an uninstall, ` +
    'now and later, until that is ended';
  return { annotations: { [ABANDON_ANNOTATION]: names.join(',') }, done };
}

/** The annotation without one of its clusters. Never throws. */
export function endAbandonRequest(application: Application, cluster: string | undefined): Requested {
  const names = abandonedNames(application);
  if (cluster === undefined) return { refused: 'say which cluster: the field cluster' };
  if (!names.includes(cluster)) return { refused: `cluster ${cluster} is not abandoned` };
  const rest = names.filter((name) => name !== cluster);
  const what = cluster === EVERY_CLUSTER ? 'its clusters are' : `cluster ${cluster} is`;
  const done = `${what} not abandoned any more: what is deleted there is uninstalled, or waits for it`;
  return { annotations: { [ABANDON_ANNOTATION]: rest.length === 0 ? null : rest.join(',') }, done };
}
