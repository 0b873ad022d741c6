import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import type { Engine, Options } from './options.js';
import { kubeFromFile } from './runtime/credentials.js';
import { Fence } from './runtime/fence.js';
import type { Kube } from './runtime/kube.js';
import { Election } from './runtime/leader.js';
import type { Metrics } from './runtime/metrics.js';
import type { LeaseRef } from './runtime/pure/lease.js';
import { linkSignals } from './runtime/signals.js';

const LEASE = 'fairlead-leader-election';
/** `LeaderElectionID` in the main.go of Flux's controllers. */
const FLUX_LEASES = [
  'source-controller-leader-election',
  'kustomize-controller-leader-election',
  'helm-controller-leader-election',
];
const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const DEFAULT_NAMESPACE = 'fairlead-system';
const FLUX_HINT = 'the embedded engine waits: end Flux, or run with --engine=external';

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
  /** Why the process cannot serve; empty for one that waits for its turn. */
  readonly notReady: () => string[];
  /** Lets no more write out, then gives the leases back. */
  readonly stop: () => Promise<void>;
}

async function ownNamespace({ leaderElectionNamespace }: Options): Promise<string> {
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
  readonly own: Election;
  readonly flux: Election | undefined;
}

async function campaignOf({ options, engine, log, metrics }: LeadershipOptions, kube: Kube): Promise<Campaign> {
  const times = {
    leaseDurationMs: options.leaseDurationMs,
    renewDeadlineMs: options.renewDeadlineMs,
    retryPeriodMs: options.retryPeriodMs,
  };
  const shared = { kube, log, times, identity: `${hostname()}_${randomUUID()}` };
  const setStatus = statusGauge(metrics);
  const lease = await ownLease(options);
  setStatus(lease.name, false);
  const own = new Election({ ...shared, leases: [lease], onLeading: (leading) => setStatus(lease.name, leading) });
  if (engine !== 'embedded') return { own, flux: undefined };
  const leases = FLUX_LEASES.map((name) => ({ namespace: options.fluxNamespace, name }));
  const flux = new Election({
    ...shared,
    leases,
    after: own.elected,
    waitingHint: FLUX_HINT,
    namespaceMayBeMissing: true,
  });
  return { own, flux };
}

/**
 * A process that waits for its turn is ready; one that cannot even stand for election, or whose engine must wait, is
 * not.
 */
function problemsOf({ own, flux }: Campaign): string[] {
  if (own.problem !== undefined) return [`leader election: ${own.problem}`];
  if (!own.leading || flux === undefined || flux.leading) return [];
  const rivals = flux.rivals().map((rival) => `${rival}; ${FLUX_HINT}`);
  return flux.problem === undefined ? rivals : [...rivals, `leases of Flux: ${flux.problem}`];
}

/**
 * Stands for election on this program's lease and, for the embedded engine, on the three of Flux: where Flux runs, or
 * comes to run, only one of the two engines works. A namespace of Flux that does not exist is no hindrance.
 */
export async function standForElection(leadership: LeadershipOptions): Promise<Leadership> {
  const { options } = leadership;
  // Connections of its own: no renewal waits behind the requests of the controllers.
  const kube = await kubeFromFile({ path: options.kubeconfig, context: options.context });
  const campaign = await campaignOf(leadership, kube);
  const { own, flux } = campaign;
  const guards = flux === undefined ? [] : [flux];
  const fence = new Fence({ leader: own, guards });
  own.start();
  flux?.start();
  return {
    fence,
    elected: own.elected,
    engineElected: flux?.elected ?? own.elected,
    lost: linkSignals([own.lost, flux?.lost]).signal,
    notReady: () => problemsOf(campaign),
    stop: async () => {
      await fence.shut();
      const graceMs = options.leaseDurationMs - options.renewDeadlineMs;
      const wanted = fence.unanswered(graceMs) ? graceMs : 0;
      // Ours last: who takes it finds the others free.
      await flux?.stop(wanted);
      await own.stop(wanted);
      await kube.close();
    },
  };
}
