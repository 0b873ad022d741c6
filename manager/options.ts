import path from 'node:path';
import { optionsFrom, type OptionRow, type RawOptions } from './option-row.js';
import {
  addressOf,
  bytes,
  durationFrom,
  electionProblem,
  MOST_PASSES,
  objectName,
  oneOf,
  passes,
  SECOND_MS,
  wholeSeconds,
} from './option-values.js';

const ENGINES = ['auto', 'embedded', 'external'] as const;
export type Engine = (typeof ENGINES)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const OBJECT_NAME = { value: 'name', parse: objectName, expects: 'the name of an object of Kubernetes' } as const;
const ADDRESS = { value: 'host:port', parse: addressOf, expects: 'host:port' } as const;
const SECONDS = { value: 'duration', parse: durationFrom(SECOND_MS), expects: 'a duration from 1s to 1h' } as const;

const ROWS = [
  {
    key: 'kubeconfig',
    flag: 'kubeconfig',
    value: 'file',
    description:
      'Kubeconfig of the host cluster. Default: $KUBECONFIG, then ~/.kube/config, then the service account of the pod.',
  },
  {
    key: 'context',
    flag: 'context',
    value: 'name',
    description: 'Context of the kubeconfig. Default: the current one.',
  },
  {
    key: 'namespace',
    flag: 'namespace',
    ...OBJECT_NAME,
    description: 'Watch only this namespace of the host cluster. Default: all namespaces.',
  },
  {
    key: 'engine',
    flag: 'engine',
    value: 'name',
    defaultValue: 'auto',
    parse: oneOf(ENGINES),
    expects: `one of ${ENGINES.join(', ')}`,
    description:
      'What reconciles HelmReleases and sources: `external` (Flux), `embedded` (this process), or `auto`: `external` if the Flux CRDs were not installed by Fairlead.',
  },
  {
    key: 'noCrossNamespaceRefs',
    flag: 'no-cross-namespace-refs',
    description:
      'Reject references to other namespaces: to sources, to templates and, with the embedded engine, to dependencies with a `readyExpr`.',
  },
  {
    key: 'defaultServiceAccount',
    flag: 'default-service-account',
    ...OBJECT_NAME,
    description:
      'ServiceAccount to impersonate for releases of the embedded engine without `serviceAccountName`, in their own namespace. Default: no impersonation.',
  },
  {
    key: 'insecureKubeconfigTls',
    flag: 'insecure-kubeconfig-tls',
    description: 'Accept kubeconfigs of target clusters that disable TLS verification.',
  },
  {
    key: 'storagePath',
    flag: 'storage-path',
    value: 'directory',
    defaultValue: '/data',
    description: 'Directory in which the embedded engine stores the artifacts of sources.',
  },
  {
    key: 'storageQuotaBytes',
    flag: 'storage-quota',
    value: 'bytes',
    parse: bytes,
    expects: 'a number of bytes, e.g. 10Gi',
    description:
      'How much the artifacts of all sources may use in `--storage-path`; those of one namespace may use half of it. A source whose artifact has no room keeps the old one and reports it. Default: three quarters of the volume.',
  },
  {
    key: 'storageAddr',
    flag: 'storage-addr',
    ...ADDRESS,
    defaultValue: '127.0.0.1:9090',
    description: 'Address at which the embedded engine serves artifacts. Port 0 selects a free port.',
  },
  {
    key: 'webhookAddr',
    flag: 'webhook-addr',
    ...ADDRESS,
    description:
      'Address at which the embedded engine accepts the webhooks of `Receiver`s, e.g. `0.0.0.0:9292`. Port 0 selects a free port. Default: none, and Receivers are not reconciled.',
  },
  {
    key: 'healthAddr',
    flag: 'health-addr',
    ...ADDRESS,
    defaultValue: '127.0.0.1:8080',
    description: 'Address of /healthz, /readyz and /metrics. Port 0 selects a free port.',
  },
  {
    key: 'helmPath',
    flag: 'helm-path',
    value: 'file',
    defaultValue: 'helm',
    description: 'helm 4, which renders charts.',
  },
  {
    key: 'kustomizePath',
    flag: 'kustomize-path',
    value: 'file',
    defaultValue: 'kustomize',
    description: 'kustomize 5, which builds Kustomizations and runs the post renderers of releases.',
  },
  {
    key: 'gitPath',
    flag: 'git-path',
    value: 'file',
    defaultValue: 'git',
    description: 'git, which fetches sources.',
  },
  {
    key: 'trustedRootFile',
    flag: 'sigstore-trusted-root',
    value: 'file',
    description:
      'trusted_root.json of Sigstore: whose keyless signatures the embedded engine trusts (`spec.verify` without `secretRef`). Default: none, because nothing of it is ever fetched.',
  },
  {
    key: 'watchManaged',
    flag: 'watch-managed',
    description:
      'Watch the objects of releases, to correct drift and to notice deletions immediately. Otherwise they are noticed at the interval.',
  },
  {
    key: 'concurrent',
    flag: 'concurrent',
    value: 'n',
    defaultValue: '4',
    parse: passes,
    expects: `a whole number from 1 to ${MOST_PASSES}`,
    description:
      'Concurrent reconciliations of each controller of the embedded engine (releases and sources), and as many again for namespaces that have none running. Applications and templates have fixed numbers.',
  },
  {
    key: 'requeueDependencyMs',
    flag: 'requeue-dependency',
    ...SECONDS,
    defaultValue: '30s',
    description: 'Interval at which a waiting release checks its dependencies.',
  },
  {
    key: 'shutdownTimeoutMs',
    flag: 'graceful-shutdown-timeout',
    value: 'duration',
    defaultValue: '10m',
    parse: durationFrom(0),
    expects: 'a duration of up to 1h',
    description:
      'How long running reconciliations may take to finish after SIGTERM, while no new one starts. After that, or with a second SIGTERM, they are canceled.',
  },
  {
    key: 'leaderElect',
    flag: 'leader-elect',
    description:
      'Only work while holding a Lease, so that one of several controllers works at a time. Enabled in `config/manager`; off by default, because a single controller does not need it.',
  },
  {
    key: 'leaderElectionNamespace',
    flag: 'leader-election-namespace',
    ...OBJECT_NAME,
    description: 'Namespace of the Lease. Default: the namespace of the pod, otherwise `fairlead-system`.',
  },
  {
    key: 'leaseDurationMs',
    flag: 'leader-election-lease-duration',
    value: 'duration',
    defaultValue: '15s',
    parse: wholeSeconds,
    expects: 'a duration of whole seconds, from 1s to 1h',
    description: 'How long other replicas wait after the last renewal that they observed.',
  },
  {
    key: 'renewDeadlineMs',
    flag: 'leader-election-renew-deadline',
    ...SECONDS,
    defaultValue: '10s',
    description: 'How long the leader writes after its last renewal. Must be shorter than the lease duration.',
  },
  {
    key: 'retryPeriodMs',
    flag: 'leader-election-retry-period',
    value: 'duration',
    defaultValue: '2s',
    parse: durationFrom(1),
    expects: 'a duration of up to 1h',
    description: 'Time between two renewals. Must be shorter than half of the renew deadline.',
  },
  {
    key: 'fluxNamespace',
    flag: 'flux-namespace',
    ...OBJECT_NAME,
    defaultValue: 'flux-system',
    description:
      'Namespace in which Flux runs or would run. Tenants must have no permissions there: the embedded engine holds the three Leases of Flux in it, so that the two never work at the same time.',
  },
  {
    key: 'logLevel',
    flag: 'log-level',
    value: 'level',
    defaultValue: 'info',
    parse: oneOf(LOG_LEVELS),
    expects: `one of ${LOG_LEVELS.join(', ')}`,
    description: 'Log level: trace, debug, info, warn, error, fatal or silent.',
  },
] as const satisfies readonly OptionRow[];

type Row = (typeof ROWS)[number];

/** The value that a row gives: a switch is true or false, and what has no default may be absent. */
type ValueOf<R> = R extends { readonly value: string }
  ? | (R extends { readonly parse: (text: string) => infer Value } ? Exclude<Value, undefined> : string)
    | (R extends { readonly defaultValue: string } ? never : undefined)
  : boolean;

/** How one controller process runs; frozen after parsing. */
export type Options = { readonly [R in Row as R['key']]: ValueOf<R> };

export const OPTIONS: readonly OptionRow<keyof Options>[] = ROWS;

/**
 * Options from raw flag values keyed by `OptionRow.key` (text for flags with a value, true for switches).
 * Throws a RangeError with one line for each wrong value, which names its flag.
 */
export function parseOptions(raw: RawOptions): Options {
  const read = optionsFrom(OPTIONS, raw) as unknown as Options; // its keys and values are those of the rows
  const options = Object.freeze({ ...read, storagePath: path.resolve(read.storagePath) });
  const problem = electionProblem(options);
  if (problem !== undefined) throw new RangeError(problem);
  return options;
}
