import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Cluster } from '#sandbox/world.js';
import { startTcpProxy, type TcpProxy } from '../faults/tcp-proxy.js';
import { type Write, writeOf } from './audit.js';
import { CounterReplica } from './counter-replica.js';
import { eventually, seededRandom } from './eventually.js';

/** Short, to keep the scenario short, and long enough for a busy machine; leases take whole seconds. */
const TIMES = { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 500 };
/** What a takeover may take beyond the duration of the lease. */
const TAKEOVER_SLACK_MS = 2_000;
/** Processes that must get their turn for a takeover: the replica, server and storage, to ask, to take and to write. */
const TURNS = 9;
const LATENESS_RESOLUTION_MS = 20;
/** What a busy machine may need to start two processes. */
const START_MS = 120_000;
/** A fault comes within this time after the leader has begun to write, and within it after the takeover it ends. */
const WITHIN_MS = 1_500;
/** A request that a killed process has sent ends within this time, one way or the other. */
const SETTLE_MS = 15_000;

const FAULTS = ['kill', 'pause', 'cut'] as const;
export type LeaderFault = (typeof FAULTS)[number];

export interface LeaderScenario {
  readonly cluster: Cluster;
  /** An administrator of the cluster. */
  readonly kube: Kube;
  /** An empty namespace, and a folder for kubeconfigs. */
  readonly namespace: string;
  readonly dir: string;
  readonly seed: number;
  readonly runs: number;
}

export interface LeaderOutcome {
  readonly run: number;
  readonly fault: LeaderFault;
  readonly former: string;
  readonly next: string;
  /** From the fault to the first write of the next leader. */
  readonly takeoverMs: number;
  /** The longest that the machine kept a process waiting meanwhile for its turn: this one, which is like the others. */
  readonly latenessMs: number;
  /** Writes of the former leader that the server refused after the first one of the next leader. */
  readonly refusedLateWrites: number;
  /** The same, accepted: must be 0. */
  readonly acceptedLateWrites: number;
  /** Of the former leader; null: killed. */
  readonly exitCode: number | null;
}

export interface LeaderResult {
  readonly outcomes: readonly LeaderOutcome[];
  readonly acceptedWrites: number;
  /** Writes that may have been stored, although the server tells of an error: who asked was gone before the answer. */
  readonly unclearWrites: number;
  /** What the counter says in the end: fewer than the accepted writes would be lost updates. */
  readonly count: number;
  /** Names of writers in the order of accepted writes, each block once: no name may come twice. */
  readonly terms: readonly string[];
}

/** A replica and its line to the API server. */
interface Slot {
  readonly line: TcpProxy;
  readonly kubeconfig: string;
  replica: CounterReplica;
}

/** Two replicas on one counter, one of which is broken again and again. */
class Replicas {
  readonly #scenario: LeaderScenario;
  readonly #path: string;
  readonly #since: number;
  #started = 0;
  slots: Slot[] = [];

  constructor(scenario: LeaderScenario, since: number) {
    this.#scenario = scenario;
    this.#since = since;
    this.#path = `/api/v1/namespaces/${scenario.namespace}/configmaps/counter?`;
  }

  async open(): Promise<void> {
    for (const index of [0, 1]) {
      const { server, kubeconfig } = this.#scenario.cluster;
      const { hostname, port } = new URL(server);
      const line = await startTcpProxy({ host: hostname, port: Number(port) });
      const file = path.join(this.#scenario.dir, `replica-${index}.kubeconfig`);
      const text = await readFile(kubeconfig, 'utf8');
      await writeFile(file, text.replaceAll(server, `https://${hostname}:${line.port}`), { mode: 0o600 });
      this.slots.push({ line, kubeconfig: file, replica: this.#start(file) });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.slots.map(({ replica }) => replica.kill()));
    await Promise.all(this.slots.map(({ line }) => line.close()));
  }

  /** A new process in the place of one that has ended. */
  restart(slot: Slot): void {
    slot.replica = this.#start(slot.kubeconfig);
  }

  /** All requests to change the counter so far, oldest first. */
  async writes(): Promise<Write[]> {
    const text = (await readFile(this.#scenario.cluster.auditLog)).subarray(this.#since).toString('utf8');
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return lines.filter((line) => line.includes(`"requestURI":"${this.#path}`)).map(writeOf);
  }

  async accepted(): Promise<Write[]> {
    return (await this.writes()).filter(({ code }) => code === 200);
  }

  /** Waits until one of the replicas writes and the other one waits for the lease. */
  async leaderAndFollower(): Promise<{ leader: Slot; follower: Slot }> {
    return eventually(
      async () => {
        // A machine that is too busy to renew a short lease ends a replica by itself.
        for (const slot of this.slots.filter(({ replica }) => replica.hasEnded)) this.restart(slot);
        const by = (await this.accepted()).at(-1)?.by;
        const leader = this.slots.find(({ replica }) => replica.identity === by);
        const follower = this.slots.find(({ replica }) => replica.identity !== by);
        if (leader === undefined || follower === undefined) throw new Error(`nobody writes\n${this.#logs()}`);
        if (!follower.replica.waits) throw new Error(`nobody waits for the lease\n${this.#logs()}`);
        return { leader, follower };
      },
      { timeoutMs: START_MS, intervalMs: 50 },
    );
  }

  /** The first accepted write of somebody else. */
  async firstWriteOfNext(former: string): Promise<Write> {
    return eventually(
      async () => {
        const all = await this.accepted();
        const last = all.at(-1);
        const first = all.find(({ by }) => by === last?.by);
        if (first === undefined || first.by === former) throw new Error(`${former} has no successor\n${this.#logs()}`);
        return first;
      },
      { timeoutMs: START_MS, intervalMs: 50 },
    );
  }

  #start(kubeconfig: string): CounterReplica {
    this.#started += 1;
    return new CounterReplica({
      kubeconfig,
      namespace: this.#scenario.namespace,
      identity: `replica-${this.#started}`,
      times: TIMES,
    });
  }

  #logs(): string {
    return this.slots.map(({ replica }) => `${replica.identity}:\n${replica.log}`).join('\n');
  }
}

function inject(fault: LeaderFault, { replica, line }: Slot): void {
  if (fault === 'kill') replica.signal('SIGKILL');
  else if (fault === 'pause') replica.signal('SIGSTOP');
  else line.partition();
}

async function undo(fault: LeaderFault, { replica, line }: Slot): Promise<void> {
  if (fault === 'pause') replica.signal('SIGCONT');
  else if (fault === 'cut') await line.restore();
}

async function oneFault(
  replicas: Replicas,
  { run, fault, random }: { run: number; fault: LeaderFault; random: () => number },
): Promise<LeaderOutcome> {
  const { leader } = await replicas.leaderAndFollower();
  const former = leader.replica.identity;
  await delay(random() * WITHIN_MS);
  const lateness = monitorEventLoopDelay({ resolution: LATENESS_RESOLUTION_MS });
  lateness.enable();
  const injectedAt = Date.now();
  inject(fault, leader);
  const first = await replicas.firstWriteOfNext(former);
  lateness.disable();
  await delay(random() * WITHIN_MS);
  await undo(fault, leader);
  const exitCode = await leader.replica.ended();
  replicas.restart(leader);
  const all = await replicas.writes();
  const late = all
    .slice(all.findIndex(({ by, code }) => by === first.by && code === 200))
    .filter(({ by }) => by === former);
  const acceptedLateWrites = late.filter(({ code }) => code === 200).length;
  return {
    ...{ run, fault, former, next: first.by, takeoverMs: first.atMs - injectedAt, exitCode },
    latenessMs: Math.max(0, Math.round(lateness.max / 1e6) - LATENESS_RESOLUTION_MS),
    ...{ acceptedLateWrites, refusedLateWrites: late.length - acceptedLateWrites },
  };
}

/** All three faults come in turn, in an order and at moments that the seed decides. */
function faultsOf(runs: number, random: () => number): LeaderFault[] {
  const first = Math.floor(random() * FAULTS.length);
  return Array.from({ length: runs }, (_, run) => FAULTS[(first + run) % FAULTS.length] ?? 'kill');
}

function termsOf(writes: readonly Write[]): string[] {
  return writes.map(({ by }) => by).filter((by, index, all) => by !== all[index - 1]);
}

/**
 * Two replicas of a small controller stand for election; the leader, which writes a counter as fast as it may, is
 * killed, stopped and continued after the takeover, or cut off from the API server. The moments are the scenario
 * itself, not a wait for something.
 */
export async function runLeaderScenario(scenario: LeaderScenario): Promise<LeaderResult> {
  const { kube, namespace, runs } = scenario;
  const counter = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'counter', namespace },
    data: { count: '0' },
  };
  await kube.create(configMapResource, counter);
  const replicas = new Replicas(scenario, (await stat(scenario.cluster.auditLog)).size);
  const random = seededRandom(scenario.seed);
  const outcomes: LeaderOutcome[] = [];
  try {
    await replicas.open();
    for (const [run, fault] of faultsOf(runs, random).entries()) {
      outcomes.push(await oneFault(replicas, { run, fault, random }));
    }
  } finally {
    await replicas.close();
  }
  return { outcomes, ...(await countWrites(replicas, scenario)) };
}

type Counter = KubeObject & { data: { count: string } };
type Writes = Pick<LeaderResult, 'acceptedWrites' | 'unclearWrites' | 'count' | 'terms'>;

function agree({ acceptedWrites, unclearWrites, count }: Writes): boolean {
  return count >= acceptedWrites && count <= acceptedWrites + unclearWrites;
}

/** What the counter and the audit log say in the end: a write that was under way at a kill may still arrive. */
async function countWrites(replicas: Replicas, { kube, namespace }: LeaderScenario): Promise<Writes> {
  const look = async (): Promise<Writes> => {
    const all = await replicas.writes();
    const accepted = all.filter(({ code }) => code === 200);
    const last = await kube.get<Counter>(configMapResource, { name: 'counter', namespace });
    const unclearWrites = all.filter(({ code }) => code === 0 || code >= 499).length;
    const counted = { acceptedWrites: accepted.length, unclearWrites, count: Number(last?.data.count) };
    return { ...counted, terms: termsOf(accepted) };
  };
  const agreed = async (): Promise<Writes> => {
    const found = await look();
    if (agree(found)) return found;
    throw new Error('not all that was written is in the log yet');
  };
  return eventually(agreed, { timeoutMs: SETTLE_MS }).catch(look);
}

/** What is wrong with the result, in words; empty when all is well. */
export function leaderFaults({ outcomes, terms, ...written }: LeaderResult): string[] {
  const faults = outcomes.flatMap((outcome) => outcomeFaults(outcome));
  if (!agree({ ...written, terms })) faults.push(`the counter does not agree with the log: ${JSON.stringify(written)}`);
  if (new Set(terms).size !== terms.length) faults.push(`somebody came back: ${terms.join(', ')}`);
  return faults;
}

function outcomeFaults(outcome: LeaderOutcome): string[] {
  const { run, fault, takeoverMs, latenessMs, acceptedLateWrites, exitCode } = outcome;
  const faults: string[] = [];
  const limitMs = TIMES.leaseDurationMs + TAKEOVER_SLACK_MS + TURNS * latenessMs;
  if (takeoverMs > limitMs) faults.push(`takeover after ${takeoverMs} ms, at most ${limitMs} allowed`);
  if (acceptedLateWrites > 0) faults.push(`${acceptedLateWrites} writes of the former leader were accepted`);
  const expected = fault === 'kill' ? null : 1;
  if (exitCode !== expected) faults.push(`the former leader ended with ${String(exitCode)}`);
  return faults.map((each) => `run ${run} (${fault}): ${each}`);
}
