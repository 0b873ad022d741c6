import type { Application } from '#api/v1alpha1/application.js';
import { PIN_ANNOTATION, PIN_CLUSTERS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import type { Finding } from '../conditions.js';
import { unknownClusters } from '../clusters/unknown-clusters.js';
import { describePins, type Pins } from './pins.js';
import type { WorldRevisions } from '../world.js';

const SHOWN = 5;

function problemsOf({ pins, earlier }: WorldRevisions): string[] {
  if (pins.problem !== undefined) return [pins.problem];
  return [...earlier.values()].flatMap((each) => ('problem' in each ? [each.problem] : []));
}

/** The command that ends all pins. */
function releaseCommand({ metadata: { name, namespace = '' } }: Application, { all, clusters }: Pins): string {
  const annotations = [
    ...(all === undefined ? [] : [`${PIN_ANNOTATION}-`]),
    ...(clusters.size === 0 ? [] : [`${PIN_CLUSTERS_ANNOTATION}-`]),
  ];
  return `kubectl annotate gapp ${name} -n ${namespace} ${annotations.join(' ')}`;
}

/** What status and conditions say of the history of an Application. */
export function pinFinding(
  application: Application,
  revisions: WorldRevisions | undefined,
): Pick<Finding, 'history' | 'pinned'> {
  if (revisions === undefined) return {};
  const { pins, history } = revisions;
  const pinned = describePins(pins);
  // Before the first revision, there is no number.
  const status = history.current === 0 ? {} : { history: { revision: history.current, ...defined({ pinned }) } };
  const problems = problemsOf(revisions);
  if (problems.length > 0) {
    const message = `${listed(problems, SHOWN)}; what runs is left unchanged`;
    return { ...status, pinned: { reason: 'RevisionUnknown', message } };
  }
  if (pinned === undefined) return status;
  const message = `pinned to revision ${pinned}, while the spec is revision ${history.current}; to go on with the spec: ${releaseCommand(application, pins)}`;
  return { ...status, pinned: { reason: 'Pinned', message } };
}

/** Warns of single pins on no cluster of `clusters`: a misspelt one gets what the spec says. */
export function pinWarning(revisions: WorldRevisions | undefined, clusters: readonly string[]): string | undefined {
  return revisions && unknownClusters(PIN_CLUSTERS_ANNOTATION, revisions.pins.clusters.keys(), clusters);
}
