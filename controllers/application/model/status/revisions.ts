import { revisionId } from '#api/v1alpha1/approve-command.js';
import type { Application, FloatingSource } from '#api/v1alpha1/application.js';
import { PIN_ANNOTATION, PIN_CLUSTERS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { defined } from '#lib/plain.js';
import { listed } from '#lib/text/text.js';
import { ClusterResolver } from '../child/cluster-names.js';
import { shortened, unknownClusters } from '../child/messages.js';
import type { ClusterNames } from '../child/types.js';
import type { WorldRevisions } from '../children/world.js';
import { describePins, type Pins } from '../spec/pins.js';
import { type Choice, describeUnresolved, whyUnresolved } from '../spec/resolved-versions.js';
import type { Finding } from './conditions.js';

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

/** Status and conditions of the history of an Application. */
export function pinFinding(
  application: Application,
  revisions: WorldRevisions | undefined,
): Pick<Finding, 'history' | 'pinned'> {
  if (revisions === undefined) return {};
  const { pins, history } = revisions;
  const pinned = describePins(pins);
  const id = history.digest && revisionId(history.current, history.digest);
  // Before the first revision, there is no number.
  const status = history.current === 0 ? {} : { history: { revision: history.current, ...defined({ id, pinned }) } };
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
export function pinWarning(
  revisions: WorldRevisions | undefined,
  clusters: readonly ClusterNames[],
): string | undefined {
  if (revisions === undefined) return undefined;
  const resolver = new ClusterResolver(clusters);
  const unknown = [...revisions.pins.clusters.keys()].filter((name) => resolver.find(name) === undefined);
  const shown = clusters.map((names) => resolver.shown(names));
  return unknownClusters(PIN_CLUSTERS_ANNOTATION, unknown, shown);
}

const NAMED = 3;
const MAX_MESSAGE = 300;

function rowOf({ reference, resolved, available, problem }: Choice): FloatingSource {
  const { source, chart } = reference;
  return {
    ...source,
    ...defined({
      chart: chart?.name,
      version: chart?.version,
      interval: chart?.interval,
      revision: resolved,
      available,
      message: problem === undefined ? undefined : shortened(problem, MAX_MESSAGE),
    }),
  };
}

function news(choices: readonly Choice[]): string {
  const waiting = choices.flatMap(({ reference, available, problem }) =>
    available === undefined || problem !== undefined
      ? []
      : [`${available} is available (${describeUnresolved(reference)})`],
  );
  return waiting.length === 0 ? '' : `; ${listed(waiting, NAMED)}, and waits for the end of this rollout`;
}

type Fields = Pick<Finding, 'rollout' | 'rolledOut' | 'sources'>;

/** Status and conditions of a rollout, with the versions in it. */
export function versionFields({ status }: Application, choices: readonly Choice[] = [], fields: Fields): Fields {
  if (choices.length === 0) return fields;
  const sources = choices.map(rowOf);
  const why = whyUnresolved(choices);
  if (why !== undefined) {
    const rolledOut = { status: 'False', reason: 'RolloutAwaitingSource', message: why } as const;
    return { sources, rolledOut, rollout: status?.rollout };
  }
  const { rolledOut } = fields;
  const told = rolledOut && { ...rolledOut, message: `${rolledOut.message}${news(choices)}` };
  return { ...fields, sources, rolledOut: told };
}
