import type { KubeObject } from '#api/meta.js';
import type { FluxCrds } from '#manager/engine-choice.js';
import type { Health } from '#engine/health/types.js';
import { oneLine } from '#lib/text/text.js';
import { hanging } from '../terminal/text.js';
import { planCrds } from '../install/crd-rules.js';

/** One thing that was checked. Only what is `wrong` fails the check. */
export interface Finding {
  readonly subject: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly text: string;
}

const INSTALL = '`fairlead install`';

function names(crds: readonly KubeObject[]): string {
  return crds.map(({ metadata }) => metadata.name).join(', ');
}

/** Whether the CRDs of this version are installed. `version` is that of a CRD. Pure. */
export function crdFinding(
  wanted: readonly KubeObject[],
  live: readonly KubeObject[],
  version: (crd: KubeObject | undefined) => string,
): Finding {
  const subject = 'CRDs';
  if (live.length === 0) return { subject, state: 'note', text: `not installed: ${INSTALL}` };
  const steps = planCrds(wanted, live, { takeOver: false });
  const refused = steps.find(({ action }) => action === 'refuse');
  if (refused !== undefined) return { subject, state: 'wrong', text: `${refused.name}: ${refused.why}` };
  const byName = new Map(live.map((crd) => [crd.metadata.name, crd]));
  const ours = wanted.filter(({ metadata }) =>
    steps.some(({ name, action }) => name === metadata.name && action === 'apply'),
  );
  const installed = ours.filter(({ metadata }) => byName.has(metadata.name));
  if (installed.length === 0) return { subject, state: 'note', text: `not installed, but those of Flux: ${INSTALL}` };
  const missing = ours.filter(({ metadata }) => !byName.has(metadata.name));
  if (missing.length > 0) return { subject, state: 'wrong', text: `missing: ${names(missing)}: ${INSTALL} adds them` };
  const old = ours.filter((crd) => version(byName.get(crd.metadata.name)) !== version(crd));
  if (old.length > 0)
    return { subject, state: 'wrong', text: `older version: ${names(old)}: ${INSTALL} upgrades them` };
  return { subject, state: 'ok', text: `${installed.length} of version ${version(ours[0])}` };
}

/** Which engine reconciles releases, and whether another one is in its way. Pure. */
export function engineFinding(crds: FluxCrds, running: readonly string[]): Finding {
  const subject = 'engine';
  if (crds === 'missing') {
    const found = running.length === 0 ? '' : `; ${running.join(', ')} without its CRDs`;
    return { subject, state: 'note', text: `none yet${found}` };
  }
  if (crds === 'foreign') {
    const found = running.length === 0 ? 'its CRDs are installed, no controller was found' : running.join(', ');
    return { subject, state: running.length === 0 ? 'note' : 'ok', text: `external: Flux (${found})` };
  }
  if (running.length === 0) return { subject, state: 'ok', text: 'embedded: Flux was not found' };
  const text = `embedded, but ${running.join(', ')}: scale it to 0 replicas, or install the CRDs of Flux`;
  return { subject, state: 'wrong', text };
}

/** Whether the controller runs. Pure. */
export function controllerFinding(found: { readonly image: string; readonly health: Health } | undefined): Finding {
  const subject = 'controller';
  if (found === undefined) return { subject, state: 'note', text: `not installed: ${INSTALL}` };
  const isWell = found.health.status === 'Current';
  return { subject, state: isWell ? 'ok' : 'wrong', text: `${found.image}: ${found.health.message}` };
}

/** Whether this user may install. What is missing only fails where nothing is installed yet. Pure. */
export function rightsFinding(denied: readonly string[], isInstalled: boolean): Finding {
  const subject = 'rights';
  if (denied.length === 0) return { subject, state: 'ok', text: 'you may install and upgrade' };
  const text = `you may not ${denied.join(', ')}: ask an administrator to run ${INSTALL}`;
  return { subject, state: isInstalled ? 'note' : 'wrong', text };
}

/** A line for each finding; where a terminal of so many columns ends, it goes on below. Pure. */
export function findingLines(findings: readonly Finding[], columns = Infinity): string[] {
  const width = Math.max(0, ...findings.map(({ subject }) => subject.length));
  return findings.flatMap(({ state, subject, text }) => {
    return hanging(`${state.padEnd(5)}  ${subject.padEnd(width)}  `, oneLine(text), columns);
  });
}
