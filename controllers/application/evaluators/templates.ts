import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import { helmEnvironment, type Run, type RunResult } from '#engine/process/run.js';
import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import { parseJson, printJson, printJsonForYaml } from '#lib/json/lossless-json.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import type { Layer } from '../model/child/layers.js';
import { readFailure, type TemplateFailure } from '../model/destinations/template-text.js';
import { chartFiles, readRendered, renderedMap, templateContext } from '../model/destinations/values-template.js';
import { type Answered, askDivided, type Evaluator, type Question, type Result, type ValuesPass } from './evaluator.js';

interface Dependencies {
  readonly run: Run;
  readonly helmPath: string;
  readonly offload: Pick<Offload, 'run'>;
}

/** Clusters of one process. */
const AT_ONCE = 100;
const FIRST_TIMEOUT_MS = 20_000;
/** For parts of what took too long or too much. */
const TIMEOUT_MS = 5_000;
const MAX_MEMORY_BYTES = 384 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** A process takes longer than a task. */
const MAX_OVERRUNS = 8;
const UNRENDERED = 'it is not rendered yet, because it failed for many other clusters';
/** Processes of all tenants together. */
const PROCESSES = 2;

/** Texts of one task. */
const READ_AT_ONCE = 200;
const UNREAD = 'it is not read yet, because what it renders to for many other clusters cost too much';

function readOne(text: string): Result<Layer> {
  try {
    return renderedMap(parseYaml(text));
  } catch (error: unknown) {
    const [line = ''] = (error as Error).message.split('\n', 1); // parsers throw errors
    return {
      problem: `it does not render to YAML: ${line}: print texts with "quote", and lists and maps with "toJson"`,
    };
  }
}

function read(input: string): string {
  return printJson((JSON.parse(input) as string[]).map(readOne)); // as answers prints it
}

/** @public Called by its name. Anchors of YAML can make much of little text. */
export const readValuesTask: Task = { module: import.meta.url, name: 'readValuesTask', deadlineMs: 5_000, run: read };

/** @public Called by its name: for parts of what took too long. */
export const readPartTask: Task = { module: import.meta.url, name: 'readPartTask', deadlineMs: 2_000, run: read };

/** The values that texts are the YAML of, in their order. A text that costs too much fails alone. */
export function readRenderedValues(
  texts: readonly string[],
  offload: Pick<Offload, 'run'>,
  tenant: string,
): Promise<readonly Result<Layer>[]> {
  return askDivided<string, Layer>(texts, {
    atOnce: READ_AT_ONCE,
    ask: (part, isPart) =>
      answerOf<Answered<Layer>>(
        offload.run(isPart ? readPartTask : readValuesTask, JSON.stringify(part), tenant),
        ({ message }) => ({ overrun: message }),
        (output) => ({ results: parseJson(output) as Result<Layer>[] }), // as the task printed it
      ),
    refused: (why) => `reading what it renders to ${why}`,
    postponed: UNREAD,
  });
}

/** A process that renders one text. */
interface Rendering {
  readonly text: string;
  /** The facts that it reads, of each cluster. */
  readonly facts: readonly object[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
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

function helm(folder: string, { timeoutMs, signal }: Rendering, { run, helmPath }: Dependencies): Promise<RunResult> {
  return run(helmPath, ['template', `--values=${join(folder, 'values.json')}`, '--', 'values', join(folder, 'chart')], {
    cwd: folder,
    timeoutMs,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
    env: { ...helmEnvironment(folder), TZ: 'UTC', KUBECONFIG: join(folder, 'none') },
  });
}

/** The answer of a process that failed with one of so many clusters. */
function afterFailure({ index, isSyntax, problem }: TemplateFailure, count: number): Answered<string> {
  if (isSyntax) return { results: Array.from({ length: count }, () => ({ problem })) };
  return index === undefined || index >= count ? { overrun: problem } : { failed: index, problem };
}

/** The answer of a process that ended without saying so itself. */
function afterEnd(error: unknown): Answered<string> {
  if (error instanceof TerminalError) return { overrun: error.message };
  if (!(error instanceof TransientError)) throw error;
  return error.reason === 'ProcessTimeout' ? { overrun: error.message } : { unavailable: error.message };
}

async function renderOnce(rendering: Rendering, deps: Dependencies): Promise<Answered<string>> {
  const { text, facts } = rendering;
  // Templates that the text defines must not take the place of the chart's own.
  const name = `v${randomBytes(12).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-values-'));
  try {
    const files = chartFiles(name, text, facts.length);
    await writeChart(folder, files, printJsonForYaml({ clusters: facts }));
    const { code, stdout, stderr } = await helm(folder, rendering, deps);
    if (code !== 0) return afterFailure(readFailure(name, stderr), facts.length);
    const found = readRendered(stdout);
    return {
      results: facts.map((_, index) => {
        const values = found.get(index);
        return values === undefined ? { problem: 'helm printed nothing' } : { values };
      }),
    };
  } catch (error: unknown) {
    return afterEnd(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The results of one text for clusters of which it reads these facts. */
async function renderText(
  text: string,
  facts: readonly object[],
  deps: Dependencies,
  { tenant, signal }: ValuesPass,
): Promise<Result<Layer>[]> {
  const rendered = await askDivided<object, string>(facts, {
    atOnce: AT_ONCE,
    maxOverruns: MAX_OVERRUNS,
    ask: (part, isPart) =>
      renderOnce({ text, facts: part, timeoutMs: isPart ? TIMEOUT_MS : FIRST_TIMEOUT_MS, signal }, deps),
    refused: (why) => why,
    postponed: UNRENDERED,
  });
  const texts = rendered.flatMap((each) => ('values' in each ? [each.values] : []));
  const values = (await readRenderedValues(texts, deps.offload, tenant)).values();
  return rendered.map((each) => ('problem' in each ? each : (values.next().value ?? { problem: 'it is lost' })));
}

/** The questions about each text, by their indexes. */
function textsIn(questions: readonly Question<string>[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [index, { source }] of questions.entries()) {
    const indexes = found.get(source) ?? [];
    indexes.push(index);
    found.set(source, indexes);
  }
  return found;
}

/**
 * Renders Go templates with the real helm, many clusters in one process. A cluster for which a text fails is left out
 * and the others are rendered again, within limits.
 */
export function templateEvaluator(deps: Dependencies): Evaluator<string, Layer> {
  const processes = pLimit(PROCESSES);
  const limited: Dependencies = { ...deps, run: (...args) => processes(() => deps.run(...args)) };
  return {
    name: 'templates',
    factsOf: templateContext,
    evaluate: async (questions, pass) => {
      const results: Result<Layer>[] = [];
      for (const [text, indexes] of textsIn(questions)) {
        const asked = indexes.flatMap((index) => questions[index] ?? []);
        const facts = asked.map((question) => question.facts ?? templateContext(question.cluster));
        const rendered = await renderText(text, facts, limited, pass);
        for (const [place, result] of rendered.entries()) results[indexes[place] ?? -1] = result;
      }
      return results;
    },
  };
}
