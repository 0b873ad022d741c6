import type { Command } from 'commander';
import { once } from 'node:events';
import type { Application } from '#api/v1alpha1/application.js';
import { oneLine, plainLine } from '#lib/text/text.js';
import { CancelledError } from '#lib/errors.js';
import { type FoundPods, readLog, readPods } from '#queries/members/read-logs.js';
import type { DestinationView } from '#queries/answers/application.js';
import { type LogSource, logSources } from '#queries/views/log-selection.js';
import type { Kube } from '#runtime/client/kube.js';
import { errorLine, interruption } from '../command/exit.js';
import { nameArgument, numberArgument } from '../command/arguments.js';
import {
  type ClusterOptions,
  selectedDestinations,
  useApplication,
  withApplication,
  withCluster,
} from '../command/application.js';
import { note, outputTerminal } from '../output/standard-output.js';

export interface LineOptions {
  /** Before each line. */
  readonly prefix: string;
  /** Without what could move the cursor of a terminal: containers print what they like. */
  readonly isPlain: boolean;
}

/** A line without an end is passed on in pieces of this many characters. */
const MOST_CHARACTERS = 65_536;

/** Before the lines of a container. Its names are those that its cluster says, which may be anything. */
export function prefixOf({ cluster, pod, container }: Pick<LogSource, 'cluster' | 'pod' | 'container'>): string {
  return `[${oneLine(`${cluster} ${pod}/${container}`)}] `;
}

/** The lines of an output, each with its prefix. Holds no more than one line, or the beginning of a very long one. */
export async function* linesWith(
  chunks: AsyncIterable<Buffer>,
  { prefix, isPlain }: LineOptions,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const shown = (line: string): string => `${prefix}${isPlain ? plainLine(line) : line}\n`;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines.map(shown).join('');
    if (rest.length < MOST_CHARACTERS) continue;
    yield shown(rest);
    rest = '';
  }
  rest += decoder.decode();
  if (rest !== '') yield shown(rest);
}

interface LogsOptions extends ClusterOptions {
  readonly pod?: string;
  readonly container?: string;
  readonly follow?: true;
  readonly previous?: true;
  readonly tail?: number;
}

const MOST_LINES = 1_000_000;

/** Until our output takes more. */
let drained: Promise<unknown> | undefined;

/** However many containers are followed, one of them waits for the output, and the others wait for that. */
async function print(text: string): Promise<void> {
  if (process.stdout.write(text)) return;
  drained ??= once(process.stdout, 'drain').finally(() => (drained = undefined));
  await drained;
}

interface Job {
  readonly kube: Kube;
  readonly application: Application;
  readonly destinations: readonly DestinationView[];
  readonly options: LogsOptions;
  readonly signal: AbortSignal;
}

/** As kubectl: whoever does not choose a container learns what else there is. */
function sayDefaults(sources: readonly LogSource[]): void {
  for (const { pod, container, others } of sources) {
    if (others.length > 0) note(`${pod}: container ${container}; others with -c: ${others.join(', ')}`);
  }
}

/** The output of one container. Returns false if it cannot be read; the others go on. */
async function show(source: LogSource, isOnly: boolean, job: Job): Promise<boolean> {
  const { kube, application, destinations, options, signal } = job;
  const destination = destinations.find(({ child }) => child === source.child);
  if (destination === undefined) return false;
  const { namespace = '' } = application.metadata;
  const { follow, tail, previous } = options;
  const reading = readLog(source, destination, { host: kube, namespace, signal, follow, tail, previous });
  const prefix = isOnly ? '' : prefixOf(source);
  try {
    for await (const text of linesWith(reading, { prefix, isPlain: outputTerminal().columns !== undefined })) {
      await print(text);
    }
    return true;
  } catch (error: unknown) {
    if (signal.aborted || error instanceof CancelledError) return true;
    note(`not read: ${source.cluster} ${source.pod}/${source.container}: ${errorLine(error)}`);
    return false;
  }
}

function sourcesOf(found: readonly FoundPods[], options: LogsOptions): readonly LogSource[] {
  for (const { cluster, problem } of found) if (problem !== '') note(`not read: ${cluster}: ${problem}`);
  const selected = logSources(found, options);
  if ('problem' in selected) throw new Error(selected.problem);
  sayDefaults(selected.sources);
  return selected.sources;
}

/** All at once if they are followed, else one after the other. */
async function showAll(sources: readonly LogSource[], job: Job): Promise<boolean[]> {
  const isOnly = sources.length === 1;
  if (job.options.follow === true) return Promise.all(sources.map((source) => show(source, isOnly, job)));
  const results: boolean[] = [];
  for (const source of sources) results.push(await show(source, isOnly, job));
  return results;
}

async function logs(name: string, options: LogsOptions): Promise<void> {
  const signal = interruption();
  // The reader of our output has read enough, e.g. `head`.
  process.stdout.once('error', () => process.exit());
  await useApplication(name, options, async (kube, application) => {
    const destinations = selectedDestinations(application, options);
    const found = await readPods(kube, application, destinations, { signal, pod: options.pod });
    const results = await showAll(sourcesOf(found, options), { kube, application, destinations, options, signal });
    if (results.includes(false)) process.exitCode = 1;
  });
}

/** `fairlead logs`: reads, with the rights of the user, and writes nothing. */
export function logsCommand(command: Command): void {
  withCluster(withApplication(command))
    .option('--pod <name>', 'only this pod', nameArgument)
    .option('-c, --container <name>', 'this container; default: as with kubectl, one of each pod', nameArgument)
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('-p, --previous', 'of the container before its last restart')
    .option('--tail <lines>', 'only the last lines; default: all', numberArgument(0, MOST_LINES, 'a number of lines'))
    .action(logs);
}
