import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { helmEnvironment } from '../engine/process/helm.js';
import type { Run, RunResult } from '../engine/process/types.js';
import type { Offload } from '../runtime/offload.js';
import { TerminalError, TransientError } from '../runtime/pure/errors.js';
import { printJson, printJsonForYaml } from '../runtime/pure/lossless-json.js';
import { createLru, type Lru } from '../runtime/pure/lru.js';
import { cacheKey } from './cache-key.js';
import { readFailure, type TemplateFailure } from './model/destinations/template-text.js';
import { chartFiles, readRendered, type TemplateContext } from './model/destinations/values-template.js';
import { NEXT_MS, readRenderedValues, RETRY_MS, type Rendered } from './rendered-values.js';

/** Renders one text for many clusters, in their order. `tenant` is whose text it is. Throws CancelledError only. */
export type RenderValues = (
  text: string,
  contexts: readonly TemplateContext[],
  pass: { readonly tenant: string; readonly signal: AbortSignal },
) => Promise<readonly Rendered[]>;

interface Dependencies {
  readonly run: Run;
  readonly helmPath: string;
  readonly offload: Pick<Offload, 'run'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const CACHED_BYTES = 32 * 1024 * 1024;
/** Clusters of one process. */
const AT_ONCE = 100;
const FIRST_TIMEOUT_MS = 20_000;
/** For parts of what took too long or too much. */
const TIMEOUT_MS = 5_000;
const MAX_MEMORY_BYTES = 384 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Clusters for which a text may fail in one reconciliation, before the others are left for the next one. */
const MAX_FAILURES = 30;
/** How often more than one cluster may take too long or too much, before the same. */
const MAX_OVERRUNS = 8;
const POSTPONED = 'it is not rendered yet, because it failed for many other clusters';
/** Processes of all tenants together. */
const PROCESSES = 2;

interface Kept {
  readonly rendered: Rendered;
  readonly size: number;
  /** Epoch milliseconds; what cost too much may have met a busy machine. */
  readonly until: number;
}

type Outcome =
  | { readonly texts: ReadonlyMap<number, string> }
  | { readonly failed: TemplateFailure }
  | { readonly overrun: string }
  /** Not about the text. */
  | { readonly unavailable: string };

/** One text, and what became of it in this reconciliation. */
class Rendering {
  readonly #text: string;
  readonly #contexts: readonly TemplateContext[];
  readonly #signal: AbortSignal;
  readonly #deps: Dependencies;
  readonly texts = new Map<number, string>();
  readonly problems = new Map<number, { readonly problem: string; readonly retryAfterMs?: number }>();
  #failures = 0;
  #overruns = 0;

  constructor(text: string, contexts: readonly TemplateContext[], deps: Dependencies, signal: AbortSignal) {
    this.#text = text;
    this.#contexts = contexts;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Each cluster has a text or a problem then. */
  async render(indexes: readonly number[]): Promise<void> {
    if (indexes.length === 0) return;
    if (this.#failures >= MAX_FAILURES || this.#overruns >= MAX_OVERRUNS) {
      this.#postpone(indexes, POSTPONED);
      return;
    }
    const outcome = await this.#run(indexes);
    if ('texts' in outcome) for (const [index, text] of outcome.texts) this.texts.set(index, text);
    else if ('unavailable' in outcome) this.#postpone(indexes, outcome.unavailable);
    else if ('overrun' in outcome) await this.#divide(indexes, outcome.overrun);
    else await this.#without(indexes, outcome.failed);
  }

  #postpone(indexes: readonly number[], problem: string): void {
    for (const index of indexes) this.problems.set(index, { problem, retryAfterMs: NEXT_MS });
  }

  /** Which of them is the cause is not known. */
  async #divide(indexes: readonly number[], problem: string): Promise<void> {
    const [only] = indexes;
    this.#overruns += 1;
    if (indexes.length === 1 && only !== undefined) {
      this.problems.set(only, { problem, retryAfterMs: RETRY_MS });
      return;
    }
    const middle = Math.ceil(indexes.length / 2);
    await this.render(indexes.slice(0, middle));
    await this.render(indexes.slice(middle));
  }

  async #without(indexes: readonly number[], { index, isSyntax, problem }: TemplateFailure): Promise<void> {
    const failed = index === undefined ? undefined : indexes[index];
    if (isSyntax) for (const each of indexes) this.problems.set(each, { problem });
    else if (failed === undefined) await this.#divide(indexes, problem);
    else {
      this.#failures += 1;
      this.problems.set(failed, { problem });
      await this.render(indexes.filter((each) => each !== failed));
    }
  }

  async #run(indexes: readonly number[]): Promise<Outcome> {
    // Templates that the text defines must not take the place of the chart's own.
    const name = `v${randomBytes(12).toString('hex')}`;
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-values-'));
    try {
      const files = chartFiles(name, this.#text, indexes.length);
      const clusters = indexes.map((index) => this.#contexts[index]);
      await writeChart(folder, files, printJsonForYaml({ clusters }));
      const result = await this.#helm(folder);
      if (result.code !== 0) return { failed: readFailure(name, result.stderr) };
      const found = [...readRendered(result.stdout)];
      return { texts: new Map(found.map(([place, text]) => [indexes[place] ?? -1, text])) };
    } catch (error: unknown) {
      return outcomeOf(error);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #helm(folder: string): Promise<RunResult> {
    const { run, helmPath } = this.#deps;
    return run(
      helmPath,
      ['template', `--values=${join(folder, 'values.json')}`, '--', 'values', join(folder, 'chart')],
      {
        cwd: folder,
        timeoutMs: this.#overruns === 0 ? FIRST_TIMEOUT_MS : TIMEOUT_MS,
        maxMemoryBytes: MAX_MEMORY_BYTES,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal: this.#signal,
        env: { ...helmEnvironment(folder), TZ: 'UTC', KUBECONFIG: join(folder, 'none') },
      },
    );
  }
}

/** Of a process that ended without saying so itself. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof TerminalError) return { overrun: error.message };
  if (!(error instanceof TransientError)) throw error;
  return error.reason === 'ProcessTimeout' ? { overrun: error.message } : { unavailable: error.message };
}

async function writeChart(folder: string, files: ReadonlyMap<string, string>, values: string): Promise<void> {
  await mkdir(join(folder, 'chart', 'templates'), { recursive: true });
  await writeFile(join(folder, 'values.json'), values, { mode: 0o600 });
  for (const [path, text] of files) {
    const file = join(folder, 'chart', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o600 });
  }
}

/** One process for each part of the clusters, one after the other. */
async function renderAll(rendering: Rendering, count: number): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  for (let start = 0; start < count; start += AT_ONCE) await rendering.render(indexes.slice(start, start + AT_ONCE));
}

async function renderFresh(
  text: string,
  contexts: readonly TemplateContext[],
  deps: Dependencies,
  { tenant, signal }: Parameters<RenderValues>[2],
): Promise<Rendered[]> {
  const rendering = new Rendering(text, contexts, deps, signal);
  await renderAll(rendering, contexts.length);
  const found = [...rendering.texts];
  const read = await readRenderedValues(
    found.map(([, rendered]) => rendered),
    deps.offload,
    tenant,
  );
  const values = new Map(found.map(([index], place) => [index, read[place]]));
  return contexts.map(
    (_, index) => values.get(index) ?? rendering.problems.get(index) ?? { problem: 'helm printed nothing' },
  );
}

function keep(cache: Lru<Kept>, key: string, rendered: Rendered, now: number): void {
  const retryAfterMs = 'problem' in rendered ? (rendered.retryAfterMs ?? Infinity) : Infinity;
  if (retryAfterMs === NEXT_MS) return;
  cache.set(key, { rendered, size: printJson(rendered).length + key.length, until: now + retryAfterMs });
}

/**
 * Renders with the real helm, many clusters in one process. A cluster for which a text fails is left out and the others
 * are rendered again, within limits. The same text is rendered once for the same facts.
 */
export function createRenderValues(deps: Dependencies): RenderValues {
  const cache = createLru<Kept>(CACHED_BYTES, ({ size }) => size);
  const processes = pLimit(PROCESSES);
  // Of one tenant one after the other: others must not wait for all that one of them has.
  const tenants = new Map<string, LimitFunction>();
  const limited: Dependencies = { ...deps, run: (...args) => processes(() => deps.run(...args)) };
  return async (text, contexts, pass) => {
    const limit = tenants.get(pass.tenant) ?? pLimit(1);
    tenants.set(pass.tenant, limit);
    return limit(async () => {
      const keys = contexts.map((context) => cacheKey(text, context));
      const known = keys.map((key) => {
        const kept = cache.get(key);
        return kept !== undefined && kept.until > deps.now() ? kept.rendered : undefined;
      });
      const open = contexts.flatMap((context, index) => (known[index] === undefined ? [{ context, index }] : []));
      const fresh = await renderFresh(
        text,
        open.map(({ context }) => context),
        limited,
        pass,
      );
      for (const [place, rendered] of fresh.entries()) {
        const index = open[place]?.index ?? 0;
        known[index] = rendered;
        keep(cache, keys[index] ?? '', rendered, deps.now());
      }
      return known.map((rendered) => rendered ?? { problem: 'helm printed nothing' });
    });
  };
}
