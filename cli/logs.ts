import { Command, InvalidArgumentError } from 'commander';
import { once } from 'node:events';
import type { Application } from '#api/v1alpha1/application.js';
import { readLog, readPods, type FoundPods } from '#queries/members/read-logs.js';
import type { DestinationView } from '#queries/views/application-view.js';
import { logSources, type LogSource } from '#queries/views/log-selection.js';
import type { Kube } from '#runtime/kube.js';
import { oneLine } from '#lib/one-line.js';
import { CancelledError } from '#lib/errors.js';
import { errorLine } from './error-line.js';
import { interruption } from './interruption.js';
import { linesWith, prefixOf } from './logs/lines-with.js';
import {
  selectedDestinations,
  useApplication,
  withApplication,
  withCluster,
  type ClusterOptions,
} from './one-application.js';
import { outputTerminal } from './terminal/standard-output.js';

interface LogsOptions extends ClusterOptions {
  readonly pod?: string;
  readonly container?: string;
  readonly follow?: true;
  readonly previous?: true;
  readonly tail?: number;
}

const MOST_LINES = 1_000_000;

function linesArgument(text: string): number {
  const lines = /^\d{1,7}$/.test(text) ? Number(text) : Infinity;
  if (lines <= MOST_LINES) return lines;
  throw new InvalidArgumentError(`must be a number of lines from 0 to ${MOST_LINES}.`);
}

/** The value of a flag that names a pod or a container. */
function nameArgument(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('must be a name.');
}

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

function say(text: string): void {
  process.stderr.write(`${oneLine(text)}\n`);
}

/** As kubectl: whoever does not choose a container learns what else there is. */
function sayDefaults(sources: readonly LogSource[]): void {
  for (const { pod, container, others } of sources) {
    if (others.length > 0) say(`${pod}: container ${container}; others with -c: ${others.join(', ')}`);
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
    say(`not read: ${source.cluster} ${source.pod}/${source.container}: ${errorLine(error)}`);
    return false;
  }
}

function sourcesOf(found: readonly FoundPods[], options: LogsOptions): readonly LogSource[] {
  for (const { cluster, problem } of found) if (problem !== '') say(`not read: ${cluster}: ${problem}`);
  const selected = logSources(found, options);
  if ('refused' in selected) throw new Error(selected.refused);
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
export function logsCommand(): Command {
  const command = new Command('logs').description('Show what the pods of an Application print.');
  return withCluster(withApplication(command))
    .option('--pod <name>', 'only this pod', nameArgument)
    .option('-c, --container <name>', 'this container; default: as with kubectl, one of each pod', nameArgument)
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('-p, --previous', 'of the container before its last restart')
    .option('--tail <lines>', 'only the last lines; default: all', linesArgument)
    .action(logs);
}
