import { Command } from 'commander';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { CRD_VERSION_LABEL } from '#api/v1alpha1/labels.js';
import { HELM_RELEASE_CRD, ownerOfFluxCrds } from '#manager/engine-choice.js';
import { objectHealth } from '#engine/health/object-health.js';
import { run } from '#engine/process/run.js';
import { runningFlux } from '#manager/flux-watch.js';
import type { Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { installedDeployment } from '#queries/plans/installation.js';
import type { ControllerDeployment } from '#queries/plans/installed-flags.js';
import { programProblem, PROGRAMS } from '#manager/programs.js';
import {
  controllerFinding,
  crdFinding,
  engineFinding,
  findingLines,
  rightsFinding,
  type Finding,
} from './check/findings.js';
import { contextName, withConnection, withKube, type ConnectionOptions } from './connection.js';
import { imageOf } from './install/choices.js';
import { liveCrds } from './install/crds.js';
import { readCrds } from './install/package.js';
import { inFormat, withOutput, type OutputOptions } from './listing.js';
import { outputTerminal, print } from './terminal/standard-output.js';

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
  const live: KubeObject[] = await liveCrds(
    kube,
    wanted.map(({ metadata }) => metadata.name),
  );
  const helmRelease = live.find(({ metadata }) => metadata.name === HELM_RELEASE_CRD);
  const deployment = await installedDeployment(kube);
  return [
    crdFinding(wanted, live, versionOf),
    engineFinding(ownerOfFluxCrds(helmRelease), await runningFlux(kube)),
    controllerOf(deployment),
    rightsFinding(await deniedRights(kube), deployment !== undefined),
  ];
}

async function check(options: ConnectionOptions & OutputOptions): Promise<void> {
  const context = await contextName(options);
  const findings = await withKube(options, async (kube) => [
    await serverFinding(kube, context),
    ...(await installationFindings(kube).catch((error: unknown) => withoutRights(kube, error))),
  ]);
  const all = [...findings, ...(await toolFindings())];
  const { columns } = outputTerminal();
  print(inFormat(options, { findings: all }, (wide) => findingLines(all, wide ? undefined : columns).join('\n')));
  if (all.some(({ state }) => state === 'wrong')) process.exitCode = 1;
}

/** `fairlead check`: exit code 1 when something is wrong, or the cluster does not answer. */
export function checkCommand(): Command {
  const command = new Command('check').description(
    'Check whether Fairlead works in a cluster, or can be installed there.',
  );
  return withConnection(withOutput(command)).action(check);
}
