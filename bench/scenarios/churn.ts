import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configMapResource } from '#api/core.js';
import { type Kube, listAll } from '#runtime/client/kube.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { eventually, seededRandom } from './eventually.js';
import type { ConfigMap } from './mirror.js';
import { growthOf, type Sample } from '../figures.js';
import { forEach } from '../harness.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'bench', 'scenarios', 'mirror-process.js');
const CONCURRENCY = 8;
const SAMPLES = 12;
/** Samples of the time in which buffers and compiled code find their size. */
const WARM_UP_SAMPLES = 2;
/** The first copies of thousands of objects take a while on a busy machine. */
const SETTLE_LIMIT_MS = 600_000;

export interface ChurnOptions {
  /** Client of the cluster, and the kubeconfig that the controller gets. */
  readonly kube: Kube;
  readonly kubeconfig: string;
  /** Exists, and holds nothing yet. */
  readonly namespace: string;
  readonly objects: number;
  readonly seconds: number;
  readonly seed: number;
}

export interface ChurnOutcome {
  readonly changes: number;
  readonly samples: readonly Sample[];
  /** What grew; empty: nothing. */
  readonly growth: readonly string[];
  /** Objects whose copy was not as it should be when all was quiet again. */
  readonly wrongCopies: readonly string[];
}

/** Lets a controller in a process of its own follow objects that change without a rest, and watches what it holds. */
export async function runChurnScenario(options: ChurnOptions): Promise<ChurnOutcome> {
  const churn = new Churn(options);
  await churn.fill();
  const child = fork(PROGRAM, [options.kubeconfig, options.namespace], { execArgv: ['--expose-gc'] });
  try {
    await eventually(async () => expectNone(await churn.wrongCopies()), { timeoutMs: SETTLE_LIMIT_MS });
    const samples = await churn.run(child);
    await eventually(async () => expectNone(await churn.wrongCopies()), { timeoutMs: SETTLE_LIMIT_MS }).catch(
      () => undefined,
    );
    const growth = growthOf(samples.slice(WARM_UP_SAMPLES));
    return { changes: churn.changes, samples, growth, wrongCopies: await churn.wrongCopies() };
  } finally {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
}

function expectNone(names: readonly string[]): void {
  if (names.length > 0) throw new Error(`${names.length} copies are not as they should be`);
}

async function sampleOf(child: ChildProcess): Promise<Sample> {
  const answer = once(child, 'message') as Promise<[Sample]>;
  child.send('sample');
  return (await answer)[0];
}

class Churn {
  readonly #options: ChurnOptions;
  readonly #random: () => number;
  changes = 0;

  constructor(options: ChurnOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
  }

  async fill(): Promise<void> {
    await forEach(this.#options.objects, (number) => this.#put(number), CONCURRENCY);
  }

  /** Changes objects until the time is over; the samples are spread evenly over it. */
  async run(child: ChildProcess): Promise<Sample[]> {
    const sampleMs = (this.#options.seconds * 1_000) / SAMPLES;
    const over = new AbortController();
    const writers = Array.from({ length: CONCURRENCY }, () => this.#write(over.signal));
    const samples: Sample[] = [];
    while (samples.length < SAMPLES) {
      await delay(sampleMs);
      samples.push(await sampleOf(child));
    }
    over.abort();
    await Promise.all(writers);
    return samples;
  }

  async wrongCopies(): Promise<string[]> {
    const { kube, namespace } = this.#options;
    const { items } = await listAll<ConfigMap>(kube, configMapResource, { namespace });
    const dataOf = new Map(items.map(({ metadata, data }) => [metadata.name, JSON.stringify(data)]));
    const names = [...dataOf.keys()].filter((name) => name.startsWith('source'));
    const sources = new Set(names.map((name) => name.replace(/-copy$/, '')));
    return [...sources].filter((name) => dataOf.get(name) !== dataOf.get(`${name}-copy`));
  }

  async #write(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const number = Math.floor(this.#random() * this.#options.objects);
      if (this.#random() < 0.2) {
        await this.#options.kube.delete(configMapResource, this.#ref(number));
      }
      await this.#put(number);
    }
  }

  async #put(number: number): Promise<void> {
    this.changes += 1;
    const data = { value: `${this.changes}`, filler: 'x'.repeat(Math.floor(this.#random() * 500)) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: this.#ref(number), data };
    await this.#options.kube.apply(configMapResource, object, { fieldManager: 'churn', force: true });
  }

  #ref(number: number): { name: string; namespace: string } {
    return { name: `source-${number}`, namespace: this.#options.namespace };
  }
}
