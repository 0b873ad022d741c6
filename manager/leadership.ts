import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { Fence, type LeaderTerm } from '#runtime/client/fence.js';
import type { Kube } from '#runtime/client/kube.js';
import { LeaderElector, type LeaderElectorOptions } from '#runtime/leader/leader-elector.js';
import type { Metrics } from '#runtime/process/metrics.js';
import type { LeaseRef } from '#lib/kube/lease.js';
import { linkSignals } from '#runtime/process/signals.js';
import { FluxWatch } from './flux-watch.js';
import type { Engine, Options } from './options.js';

const LEASE = 'fairlead-leader-election';
/** `LeaderElectionID` in the main.go of Flux's controllers. */
export const FLUX_LEASES = [
  'source-controller-leader-election',
  'kustomize-controller-leader-election',
  'helm-controller-leader-election',
];
const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const DEFAULT_NAMESPACE = 'fairlead-system';
const FLUX_HINT = 'the embedded engine waits: stop Flux, or run with --engine=external';

export interface LeadershipOptions {
  readonly options: Options;
  readonly engine: Exclude<Engine, 'auto'>;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** What a process does with the leadership that it stands for. */
export interface Leadership {
  readonly fence: Fence;
  /** Resolves when controllers may work. */
  readonly elected: Promise<void>;
  /** Resolves when the embedded engine may work, too. */
  readonly engineElected: Promise<void>;
  /** Aborted when the process has to end. */
  readonly lost: AbortSignal;
  /** Aborted when the process must shut down: another engine is the right one now, or a Flux without our Leases runs. */
  readonly engineChanged: AbortSignal;
  /** Why the process cannot serve; empty for one that waits for its turn. */
  readonly notReady: () => string[];
  /** Lets no more write out, then gives the leases back. */
  readonly stop: () => Promise<void>;
}

/** The namespace that the process runs in. */
export async function ownNamespace({ leaderElectionNamespace }: Options): Promise<string> {
  if (leaderElectionNamespace !== undefined) return leaderElectionNamespace;
  const ofPod = await readFile(POD_NAMESPACE_FILE, 'utf8').catch(() => '');
  return ofPod.trim() === '' ? DEFAULT_NAMESPACE : ofPod.trim();
}

/** Controllers of different namespaces do not exclude each other. */
async function ownLease(options: Options): Promise<LeaseRef> {
  const name = options.namespace === undefined ? LEASE : `${LEASE}-${options.namespace}`;
  return { namespace: await ownNamespace(options), name };
}

/** `leader_election_master_status` as client-go exports it. */
function statusGauge({ registry }: Metrics): (name: string, leading: boolean) => void {
  const gauge = new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this process holds the lease.',
    labelNames: ['name'],
    registers: [registry],
  });
  return (name, leading) => gauge.set({ name }, leading ? 1 : 0);
}

interface Campaign {
  /** Absent without --leader-elect. */
  readonly own: LeaderElector | undefined;
  /** The guards of the embedded engine, whatever the flags say. */
  readonly flux: LeaderElector | undefined;
  readonly watch: FluxWatch;
}

/** Of a process that is the only one of its kind. */
const ALONE: LeaderTerm = { writeUntilMs: Number.POSITIVE_INFINITY, lost: new AbortController().signal };

async function ownElection({ options, metrics }: LeadershipOptions, shared: SharedOptions): Promise<LeaderElector> {
  const setStatus = statusGauge(metrics);
  const lease = await ownLease(options);
  setStatus(lease.name, false);
  return new LeaderElector({ ...shared, leases: [lease], onLeading: (leading) => setStatus(lease.name, leading) });
}

type SharedOptions = Pick<LeaderElectorOptions, 'kube' | 'log' | 'times' | 'identity'>;

async function campaignOf(leadership: LeadershipOptions, kube: Kube): Promise<Campaign> {
  const { options, engine, log } = leadership;
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  const times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  const shared = { kube, log, times, identity: `${hostname()}_${randomUUID()}` };
  const own = options.leaderElect ? await ownElection(leadership, shared) : undefined;
  const watch = new FluxWatch({ kube, options, engine, log });
  if (engine !== 'embedded') return { own, flux: undefined, watch };
  const leases = FLUX_LEASES.map((name) => ({ namespace: options.fluxNamespace, name }));
  const flux = new LeaderElector({
    ...shared,
    leases,
    after: Promise.all([own?.elected, watch.clear]).then(() => undefined),
    waitingHint: FLUX_HINT,
    namespaceMayBeMissing: true,
  });
  return { own, flux, watch };
}

/**
 * A process that waits for its turn is ready; one that cannot even stand for election, or whose engine must wait, is
 * not.
 */
function problemsOf({ own, flux, watch }: Campaign): string[] {
  if (own?.problem !== undefined) return [`leader election: ${own.problem}`];
  if (own?.leading === false || flux === undefined || flux.leading) return [];
  const holders = flux.otherHolders().map((holder) => `${holder}; ${FLUX_HINT}`);
  const problem = flux.problem === undefined ? [] : [`leases of Flux: ${flux.problem}`];
  const problems = [...watch.notReady(), ...holders, ...problem];
  return problems.length > 0 ? problems : ['the Leases of Flux are not acquired yet'];
}

/** Lets no more write out, then gives the leases back. */
async function stepDown({ own, flux, watch }: Campaign, fence: Fence, options: Options): Promise<void> {
  await fence.shut();
  const graceMs = options.leaseDurationMs - options.renewDeadlineMs;
  const wanted = fence.unanswered(graceMs) ? graceMs : 0;
  await watch.stop();
  // Ours last: who takes it finds the others free.
  await flux?.stop(wanted);
  await own?.stop(wanted);
}

/**
 * Stands for election on this program's lease, if it is to, and for the embedded engine in any case on the three of
 * Flux: where Flux runs, or comes to run, only one of the two engines works. A namespace of Flux that does not exist is
 * no hindrance.
 */
export async function standForElection(leadership: LeadershipOptions): Promise<Leadership> {
  const { options } = leadership;
  // Connections of its own: no renewal waits behind the requests of the controllers.
  const kube = await kubeFromFile({ path: options.kubeconfig, context: options.context });
  const campaign = await campaignOf(leadership, kube);
  const { own, flux, watch } = campaign;
  const guards = flux === undefined ? [] : [flux];
  const fence = new Fence({ leader: own ?? ALONE, guards });
  for (const each of [own, flux, watch]) each?.start();
  const elected = own?.elected ?? Promise.resolve();
  return {
    fence,
    elected,
    engineElected: flux?.elected ?? elected,
    lost: linkSignals([own, flux].map((election) => election?.lost)).signal,
    engineChanged: watch.changed,
    notReady: () => problemsOf(campaign),
    stop: async () => {
      await stepDown(campaign, fence, options);
      await kube.close();
    },
  };
}
