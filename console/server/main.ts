import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';
import type { Logger } from 'pino';
import type { KubeObject } from '#api/meta.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { type Template, TEMPLATE_RESOURCES } from '#api/v1alpha1/template.js';
import { helmProblem, rendererWith } from '#queries/plans/lazy-renderer.js';
import type { Cache, Permission, SetupContext } from '#runtime/controller.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { serveHealth } from '#runtime/process/health.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { createMetrics, type Metrics } from '#runtime/process/metrics.js';
import { createOffload, type Offload } from '#runtime/isolation/offload.js';
import type { EndSignals } from '#runtime/process/signals.js';
import { templateKeysOf } from '../shared/template-item.js';
import { createAccess } from './access.js';
import { createAuthenticator } from './authenticate.js';
import { authorities, Certificates, keepRenewed } from './certificates.js';
import { readDashboard } from './dashboard/files.js';
import { claimRulesOf } from './oidc-options.js';
import { createOidc, type Oidc } from './oidc.js';
import { OneTimeLogins } from './one-time-logins.js';
import type { ConsoleOptions } from './options.js';
import { hearParent } from './parent.js';
import { BY_NAMESPACE } from './readable.js';
import { createServer, type ServerOptions } from './server.js';
import { BY_TEMPLATE } from './templates.js';
import type { Workbench } from './v1/preview-answers.js';

/** The helm of the options, if it is one, and these threads. */
export function workbenchOf({ helmPath }: Pick<ConsoleOptions, 'helmPath'>, offload: Pick<Offload, 'run'>): Workbench {
  const findHelm = async (): Promise<string | undefined> =>
    (await helmProblem(helmPath)) === undefined ? helmPath : undefined;
  return { offload, findRenderer: rendererWith(findHelm, offload) };
}

/** What the server does with rights of its own. What users read is checked for them, and what they write goes as them. */
export const permissions: readonly Permission[] = [
  {
    group: applicationResource.group,
    resources: [applicationResource, ...TEMPLATE_RESOURCES].map(({ plural }) => plural),
    verbs: ['get', 'list', 'watch'],
  },
  { group: 'authentication.k8s.io', resources: ['tokenreviews'], verbs: ['create'] },
  { group: 'authorization.k8s.io', resources: ['subjectaccessreviews'], verbs: ['create'] },
  { group: '', resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
  // uids, and userextras with any key, which RBAC cannot name otherwise.
  { group: 'authentication.k8s.io', resources: ['*'], verbs: ['impersonate'] },
];

const CLOSE_LIMIT_MS = 15_000;

function namespaceOf({ metadata }: KubeObject): string[] {
  return [metadata.namespace ?? ''];
}

/** The caches of what users read, with the indexes that the routes ask. */
export function cachesOf(context: Pick<SetupContext, 'cache'>): Pick<ServerOptions, 'templates'> & {
  readonly applications: Cache<Application>;
} {
  const byNamespace = { [BY_NAMESPACE]: namespaceOf };
  return {
    applications: context.cache<Application>(applicationResource, {
      indexes: { ...byNamespace, [BY_TEMPLATE]: templateKeysOf },
    }),
    // An older installation may not have them.
    templates: TEMPLATE_RESOURCES.map((type) =>
      context.cache<Template>(type, { indexes: byNamespace, optional: true }),
    ),
  };
}

function observer({ registry }: Metrics): NonNullable<ServerOptions['observe']> {
  const times = new Histogram({
    name: 'fairlead_console_request_seconds',
    help: 'Seconds per request.',
    labelNames: ['route', 'method', 'code'],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [registry],
  });
  return ({ route, method, code, seconds }) => times.observe({ route, method, code: String(code) }, seconds);
}

interface Parts {
  readonly options: ConsoleOptions;
  readonly kube: Kube;
  readonly manager: Manager;
  readonly log: Logger;
  readonly version: string;
  readonly certificates: Certificates;
  readonly oneTimeLogins: OneTimeLogins | undefined;
  readonly workbench: Workbench;
  readonly offload: Pick<Offload, 'run'>;
  readonly oidc: Oidc | undefined;
}

async function oidcOf(options: ConsoleOptions, log: Logger): Promise<Oidc | undefined> {
  const rules = claimRulesOf(options);
  const { oidcClientId: clientId = '', oidcSigningAlgorithms: signingAlgorithms, oidcCaFile } = options;
  if (rules === undefined) return undefined;
  const ca = oidcCaFile === undefined ? undefined : await authorities('oidc-ca-file', oidcCaFile);
  return createOidc({ rules, clientId, signingAlgorithms, ca, log });
}

async function serverOf({ options, kube, manager, certificates, oidc, ...more }: Parts): Promise<FastifyInstance> {
  const caches: ReturnType<typeof cachesOf>[] = [];
  manager.setup((context) => {
    caches.push(cachesOf(context));
    return [];
  });
  const [{ applications, templates }] = caches as [ReturnType<typeof cachesOf>];
  const { tls } = certificates;
  const { clusterName, publicUrls, requestsPerMinute } = options;
  return createServer({
    ...{ kube, applications, templates, tls, clusterName, publicUrls, requestsPerMinute },
    ...more,
    access: createAccess(kube),
    authenticator: createAuthenticator(kube, () => certificates.trust, oidc),
    dashboard: await readDashboard(),
    timestamp: () => new Date().toISOString(),
    isReady: () => manager.notReady().length === 0,
    observe: observer(manager.metrics),
  });
}

/** Runs the server until it is asked to stop; requests under way may end. */
export async function runConsole(
  options: ConsoleOptions,
  { stop, cancel }: EndSignals,
  version: string,
): Promise<void> {
  const oneTimeLogins = options.oneTimeLogin ? new OneTimeLogins(() => performance.now()) : undefined;
  const parent = oneTimeLogins && hearParent(oneTimeLogins);
  const log = createLogger(options.logLevel);
  const metrics = createMetrics();
  const kube = await kubeFromFile({ path: options.kubeconfig, context: options.context, count: metrics.countRequest });
  const manager = new Manager({ kube, log, metrics, namespace: options.namespace });
  const offload = createOffload();
  try {
    const certificates = await Certificates.read(options);
    const workbench = workbenchOf(options, offload);
    const oidc = await oidcOf(options, log);
    const shared = { options, kube, manager, log, version, oneTimeLogins };
    const parts = { ...shared, certificates, workbench, offload, oidc };
    const app = await serverOf(parts);
    const endRenewal = keepRenewed(certificates, app.server, log);
    const health = await serveHealth({ ...options.healthAddr, metrics, notReady: () => manager.notReady() });
    try {
      const api = await app.listen(options.addr);
      log.info({ api, health: health.address, server: kube.server }, 'starting');
      parent?.announce({ address: api });
      await manager.start(stop, cancel);
    } finally {
      endRenewal();
      const isLate = new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref());
      await Promise.race([app.close(), isLate]);
      await health.close();
      await oidc?.close();
    }
  } finally {
    parent?.leave();
    await offload.close();
    await kube.close();
    log.info('stopped');
  }
}
