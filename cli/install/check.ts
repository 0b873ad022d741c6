import type { Command } from 'commander';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { type FluxCrds, HELM_RELEASE_CRD, ownerOfFluxCrds } from '#manager/engine-choice.js';
import type { Health } from '#engine/health/fields.js';
import { listed, oneLine } from '#lib/text/text.js';
import { CRD_VERSION_LABEL } from '#api/v1alpha1/labels.js';
import { objectHealth } from '#engine/health/object-health.js';
import { run } from '#engine/process/run.js';
import { runningFlux } from '#manager/flux-watch.js';
import type { Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { describeObject } from '#lib/net/urls.js';
import type { FluxObjectView, NeedView } from '#queries/answers/flux-object.js';
import { listFluxObjects, readNeeds } from '#queries/host/flux-objects.js';
import { plainObjects, type ViewedObject } from '#queries/host/model/flux-object.js';
import { installedDeployment } from '#queries/plans/installation.js';
import type { ControllerDeployment } from '#queries/plans/installed-flags.js';
import { programProblem, PROGRAMS } from '#manager/programs.js';
import { hanging } from '../output/model/text.js';
import { type ConnectionOptions, contextName, withConnection, withKube } from '../command/connection.js';
import { inFormat, type OutputOptions, withOutput } from '../output/listing.js';
import { outputTerminal, print } from '../output/standard-output.js';
import { planCrds } from './crd-rules.js';
import { imageOf } from './choices.js';
import { installedCrds } from './crds.js';
import { readCrds } from './package.js';

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

/** Whether the CRDs of this version are installed. `version` is that of a CRD. */
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

/** Which engine reconciles releases, and whether another one is in its way. */
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

/** Whether the controller runs. */
export function controllerFinding(found: { readonly image: string; readonly health: Health } | undefined): Finding {
  const subject = 'controller';
  if (found === undefined) return { subject, state: 'note', text: `not installed: ${INSTALL}` };
  const isWell = found.health.status === 'Current';
  return { subject, state: isWell ? 'ok' : 'wrong', text: `${found.image}: ${found.health.message}` };
}

/** Whether this user may install. What is missing only fails where nothing is installed yet. */
export function rightsFinding(denied: readonly string[], isInstalled: boolean): Finding {
  const subject = 'rights';
  if (denied.length === 0) return { subject, state: 'ok', text: 'you may install and upgrade' };
  const text = `you may not ${denied.join(', ')}: ask an administrator to run ${INSTALL}`;
  return { subject, state: isInstalled ? 'note' : 'wrong', text };
}

/** A plain object that is neither Ready nor suspended, with what it needs as far as that was read. */
interface Unready {
  readonly view: FluxObjectView;
  readonly needs: readonly NeedView[];
}

const NAMED_OBJECTS = 3;

function unreadyText({ view, needs }: Unready): string {
  const missing = needs.filter(({ state }) => state !== 'Ready');
  const named = missing.map((need) => `${describeObject(need.kind, need)} (${need.state}, ${need.field})`);
  const needed = named.length === 0 ? '' : ` needs ${listed(named, NAMED_OBJECTS)}`;
  return `${describeObject(view.kind, view)} (${view.state})${needed}`;
}

/**
 * How HelmReleases and Kustomizations without an Application are. Undefined: there are none. `unready` are the first
 * ones of `count` that are not Ready.
 */
export function plainFinding(total: number, count: number, unready: readonly Unready[]): Finding | undefined {
  const subject = 'Flux objects';
  if (total === 0) return undefined;
  const all = `${total} without an Application`;
  if (count === 0) return { subject, state: 'ok', text: `${all}, none of which fails or waits` };
  const more = count > unready.length ? `; and ${count - unready.length} more` : '';
  const named = unready.map(unreadyText).join('; ');
  const [first] = unready;
  const command = first && `status ${first.view.kind.toLowerCase()}/${first.view.name} -n ${first.view.namespace}`;
  const text = `${all}, ${count} not Ready: ${named}${more}: \`fairlead ${command ?? 'status -A'}\` says why`;
  return { subject, state: 'note', text };
}

/** The notes on kinds that this user may not list. */
export function unreadFinding(kinds: readonly string[]): Finding[] {
  if (kinds.length === 0) return [];
  const text = `you may not list ${listed(kinds, NAMED_OBJECTS)} objects of all namespaces: \`fairlead status -n NAMESPACE\` shows those of one`;
  return [{ subject: 'Flux objects', state: 'note', text }];
}

/** A line for each finding; where a terminal of so many columns ends, it goes on below. */
export function findingLines(findings: readonly Finding[], columns = Infinity): string[] {
  const width = Math.max(0, ...findings.map(({ subject }) => subject.length));
  return findings.flatMap(({ state, subject, text }) => {
    return hanging(`${state.padEnd(5)}  ${subject.padEnd(width)}  `, oneLine(text), columns);
  });
}

const LIMIT_MS = 10_000;

const REVIEW: ResourceType = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

/** What `fairlead install` does; to bind cluster-admin, one has to have everything. */
const INSTALLING = [
  { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verbs: ['create', 'patch'] },
  { group: '', resource: 'namespaces', verbs: ['create'] },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', verbs: ['create', 'patch'] },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', verbs: ['create', 'patch'] },
  { group: 'apps', resource: 'deployments', verbs: ['create', 'patch'] },
  { group: '*', resource: '*', verbs: ['*'] },
];

interface Review extends KubeObject {
  spec: { resourceAttributes: { group: string; resource: string; verb: string } };
  status?: { allowed?: boolean };
}

async function isDenied(kube: Kube, attributes: Review['spec']['resourceAttributes']): Promise<boolean> {
  const review: Review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: REVIEW.kind,
    metadata: { name: '' },
    spec: { resourceAttributes: attributes },
  };
  return (await kube.create(REVIEW, review, { timeoutMs: LIMIT_MS })).status?.allowed !== true;
}

function inWords({ resource, verb }: Review['spec']['resourceAttributes']): string {
  return resource === '*' ? 'do everything (as cluster-admin, for --profile cluster)' : `${verb} ${resource}`;
}

async function deniedRights(kube: Kube): Promise<string[]> {
  const wanted = INSTALLING.flatMap(({ group, resource, verbs }) => verbs.map((verb) => ({ group, resource, verb })));
  const denied = await Promise.all(wanted.map((each) => isDenied(kube, each)));
  return wanted.filter((_, index) => denied[index]).map(inWords);
}

async function serverFinding(kube: Kube, context: string): Promise<Finding> {
  // The server's version.Info.
  const { gitVersion = '?' } = (await kube.read('/version', { timeoutMs: LIMIT_MS })) as { gitVersion?: string };
  return { subject: 'server', state: 'ok', text: `${gitVersion} at ${kube.server} (context ${context})` };
}

/** Only a controller or demo on this machine needs them. */
async function toolFindings(): Promise<Finding[]> {
  return Promise.all(
    PROGRAMS.map(async (program): Promise<Finding> => {
      const subject = program.command;
      const problem = await programProblem(program, subject, run);
      if (problem === undefined) return { subject, state: 'ok', text: `${program.wanted} on this machine` };
      return { subject, state: 'note', text: `${problem}; only a controller on this machine needs ${program.wanted}` };
    }),
  );
}

function versionOf(crd: KubeObject | undefined): string {
  return crd?.metadata.labels?.[CRD_VERSION_LABEL] ?? '?';
}

function controllerOf(deployment: ControllerDeployment | undefined): Finding {
  if (deployment === undefined) return controllerFinding(undefined);
  return controllerFinding({ image: imageOf(deployment), health: objectHealth({ ...deployment }) });
}

/** What can be said to somebody who may not look at an installation. */
async function withoutRights(kube: Kube, error: unknown): Promise<Finding[]> {
  const denied = apiStatusOf(error)?.code === 403 ? await deniedRights(kube) : [];
  if (denied.length === 0) throw error;
  return [rightsFinding(denied, false)];
}

async function installationFindings(kube: Kube): Promise<Finding[]> {
  const wanted = await readCrds();
  const live: readonly KubeObject[] = await installedCrds(kube);
  const helmRelease = live.find(({ metadata }) => metadata.name === HELM_RELEASE_CRD);
  const deployment = await installedDeployment(kube);
  return [
    crdFinding(wanted, live, versionOf),
    engineFinding(ownerOfFluxCrds(helmRelease), await runningFlux(kube)),
    controllerOf(deployment),
    rightsFinding(await deniedRights(kube), deployment !== undefined),
  ];
}

/** Not Ready, and not on request. */
function isUnready({ view }: ViewedObject): boolean {
  return !['Ready', 'Suspended', 'Unmanaged'].includes(view.state);
}

async function plainFindings(kube: Kube): Promise<Finding[]> {
  const { objects, unread } = await listFluxObjects(kube, {});
  const plain = plainObjects(objects);
  const unready = plain.filter(isUnready);
  const shown = await Promise.all(
    unready.slice(0, NAMED_OBJECTS).map(async ({ child, view }) => ({ view, needs: await readNeeds(kube, child) })),
  );
  const found = plainFinding(plain.length, unready.length, shown);
  return [...(found === undefined ? [] : [found]), ...unreadFinding(unread)];
}

async function check(options: ConnectionOptions & OutputOptions): Promise<void> {
  const context = await contextName(options);
  const findings = await withKube(options, async (kube) => [
    await serverFinding(kube, context),
    ...(await installationFindings(kube).catch((error: unknown) => withoutRights(kube, error))),
    ...(await plainFindings(kube)),
  ]);
  const all = [...findings, ...(await toolFindings())];
  const { columns } = outputTerminal();
  print(inFormat(options, { findings: all }, (wide) => findingLines(all, wide ? undefined : columns).join('\n')));
  if (all.some(({ state }) => state === 'wrong')) process.exitCode = 1;
}

/** `fairlead check`: exit code 1 when something is wrong, or the cluster does not answer. */
export function checkCommand(command: Command): void {
  withConnection(withOutput(command)).action(check);
}
