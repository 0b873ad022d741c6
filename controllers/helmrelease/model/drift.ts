import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Correction, NewEvent } from '#engine/flux/model/types.js';
import { withCondition, withoutConditions } from '#engine/flux/model/progress.js';
import type { Snapshot } from './snapshot.js';
import type { StateFinding } from './state.js';
import type { StatusContext } from './status.js';
import type { HelmReleaseSpec } from './types.js';

/** Annotation or label of an object: with `disabled`, its drift is ignored. */
const OPT_OUT = 'helm.toolkit.fluxcd.io/driftDetection';
const SHOWN = 20;

type Metadata = Readonly<Record<'labels' | 'annotations', Readonly<Record<string, string>> | undefined>>;

/** An object that differs from the release; without `count` it was deleted. */
export interface DriftedObject {
  /** `Kind/namespace/name` */
  readonly subject: string;
  readonly count?: { readonly additions: number; readonly changes: number; readonly removals: number } | undefined;
}

/** True when live objects are compared with the release. */
export function looksForDrift({ driftDetection }: HelmReleaseSpec): boolean {
  return driftDetection?.mode === 'enabled' || driftDetection?.mode === 'warn';
}

/** True for an object whose drift is ignored. */
export function optsOut({ labels, annotations }: Partial<Metadata>): boolean {
  return labels?.[OPT_OUT] === 'disabled' || annotations?.[OPT_OUT] === 'disabled';
}

/** The state of a release in sync, considering its live objects. */
export function withDrift(finding: StateFinding, drifted: readonly DriftedObject[] = []): StateFinding {
  if (finding.state !== 'InSync' || drifted.length === 0) return finding;
  const gone = drifted.filter(({ count }) => count === undefined).length;
  return { state: 'Drifted', why: `removed: ${gone}, changed: ${drifted.length - gone}` };
}

function line({ subject, count }: DriftedObject): string {
  if (count === undefined) return `${subject} removed`;
  const { additions, changes, removals } = count;
  return `${subject} changed (${additions} additions, ${changes} changes, ${removals} removals)`;
}

/** One line for each object, up to a limit. Without values: a Secret may have drifted. */
export function driftLines(drifted: readonly DriftedObject[]): string {
  const lines = drifted.slice(0, SHOWN).map(line);
  return [...lines, ...(drifted.length > SHOWN ? [`and ${drifted.length - SHOWN} more`] : [])].join('\n');
}

function fullName({ namespace, name, version }: Snapshot): string {
  return `${namespace}/${name}.v${version}`;
}

/** `Cluster state of release ns/name.v1 has drifted from the desired state:` and the objects. */
export function driftMessage(latest: Snapshot, drifted: readonly DriftedObject[]): string {
  return `Cluster state of release ${fullName(latest)} has drifted from the desired state:\n${driftLines(drifted)}`;
}

/** The message of a correction. */
export function correctionMessage(latest: Snapshot, { done, problem }: Correction): string {
  const release = `cluster state of release ${fullName(latest)}`;
  if (problem === undefined) return `C${release.slice(1)} has been corrected:\n${done.join('\n')}`;
  if (done.length === 0) return `Failed to correct ${release}: ${problem}`;
  return `Failed to partially correct ${release}: ${problem}\n\nSuccessful corrections:\n${done.join('\n')}`;
}

/** Drifted=True, with the differences or why they could not be corrected. */
export function drifted(status: HelmReleaseStatus, context: StatusContext, message: string): HelmReleaseStatus {
  return withCondition(status, context, { type: 'Drifted', status: 'True', reason: 'DriftDetected', message });
}

/** Drifted=False; without drift detection there is no such condition. */
export function notDrifted(
  status: HelmReleaseStatus,
  context: StatusContext,
  spec: HelmReleaseSpec,
): HelmReleaseStatus {
  if (!looksForDrift(spec)) return withoutConditions(status, 'Drifted');
  const message = 'Live objects match the release';
  return withCondition(status, context, { type: 'Drifted', status: 'False', reason: 'NoDriftDetected', message });
}

/** The status and the events after a correction of drift. */
export function corrected(
  status: HelmReleaseStatus,
  context: StatusContext,
  { spec, ...correction }: Correction & { readonly spec: HelmReleaseSpec },
): { readonly status: HelmReleaseStatus; readonly events: readonly NewEvent[] } {
  const latest = status.history?.[0];
  if (latest === undefined) return { status, events: [] };
  const message = correctionMessage(latest, correction);
  if (correction.problem !== undefined) {
    const events: NewEvent[] = [{ type: 'Warning', reason: 'DriftCorrectionFailed', message }];
    return { status: drifted(status, context, message), events };
  }
  const events: NewEvent[] =
    correction.done.length === 0 ? [] : [{ type: 'Normal', reason: 'DriftCorrected', message }];
  return { status: notDrifted(status, context, spec), events };
}
