import { Command, InvalidArgumentError } from 'commander';
import type { Application } from '../api/v1alpha1/application.js';
import { sortedViews } from '../controllers/read-model/application-view.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { parseDuration } from '../controllers/runtime/pure/duration.js';
import { withConnection } from './connection.js';
import { interruption } from './interruption.js';
import { checkNamespaces, inFormat, isTable, placeOf, withListing, type ListingOptions } from './listing.js';
import { newLines } from './progress.js';
import { follow } from './status/follow.js';
import { progressLines } from './status/progress-lines.js';
import { lastLines } from './status/last-lines.js';
import { approvals, lookFurther } from './status/look-further.js';
import { listSelected, withSelection, type Selection } from './status/selection.js';
import { statusTable, worstFirst } from './status/status-table.js';
import { nameOf, type WaitFlag } from './status/wait-flag.js';
import { waitUntilReady } from './status/wait.js';
import { outputRegion, outputTerminal, print } from './terminal/standard-output.js';
import { wrap } from './terminal/text.js';

const DEFAULT_TIMEOUT_MS = 300_000;

interface StatusOptions extends ListingOptions {
  readonly watch?: true;
  readonly wait?: WaitFlag;
  /** Milliseconds. */
  readonly timeout?: number;
}

function textOf(applications: readonly Application[], options: StatusOptions): string {
  const views = sortedViews(applications);
  const allNamespaces = options.allNamespaces === true;
  return inFormat(options, { applications: views }, (wide) =>
    statusTable(views, { allNamespaces, wide, terminal: outputTerminal() }),
  );
}

const APPROVE = 'If the removals that wait are right, approve them:';

/** Commands are not wrapped: people copy them into a shell. */
function section(title: string, commands: readonly string[]): string[] {
  return commands.length === 0 ? [] : [title, ...commands.map((command) => `  ${command}`)];
}

/** The state at the end of the command; people at a terminal read more of what is wrong, and what to do next. */
async function printFinal(kube: Kube, applications: readonly Application[], options: StatusOptions): Promise<void> {
  print(textOf(applications, options));
  const { hasSymbols, columns = Infinity } = outputTerminal();
  if (!isTable(options) || !hasSymbols) return;
  const views = sortedViews(applications);
  const rows = worstFirst(views);
  const commands = lookFurther(rows);
  const lines = commands.length === 0 ? [] : (await lastLines(kube, rows)).flatMap((line) => wrap(line, columns));
  const parts = [...lines, ...section('Look further:', commands), ...section(APPROVE, approvals(views))];
  if (parts.length > 0) print(['', ...parts].join('\n'));
}

async function showOnce(kube: Kube, selection: Selection, options: StatusOptions): Promise<void> {
  const applications = await listSelected(kube, selection);
  const isEmpty = applications.length === 0 && isTable(options);
  if (isEmpty) process.stderr.write(`No Applications in ${placeOf(selection.query)}.\n`);
  else await printFinal(kube, applications, options);
}

async function showChanges(kube: Kube, selection: Selection, options: StatusOptions): Promise<void> {
  const interrupted = interruption();
  const region = outputTerminal().isLive && isTable(options) ? outputRegion() : undefined;
  let latest: readonly Application[] = [];
  let last = '';
  const show = (): void => {
    const text = textOf(latest, options);
    if (region !== undefined) region.show(text);
    else if (text !== last) print(text);
    last = text;
  };
  await listSelected(kube, selection);
  process.stdout.on('resize', show);
  await follow(kube, selection.query, interrupted, (applications) => {
    latest = applications;
    show();
  });
}

/** The progress goes to a terminal, or line by line to stderr: stdout gets the state at the end. */
async function showWhenReady(kube: Kube, selection: Selection, options: StatusOptions): Promise<void> {
  const terminal = outputTerminal();
  const region = terminal.isLive ? outputRegion() : undefined;
  let last = '';
  const show = (applications: readonly Application[]): void => {
    const lines = progressLines(applications, terminal);
    if (region !== undefined) region.show(lines);
    else for (const line of newLines(last, lines)) process.stderr.write(`${line}\n`);
    last = lines;
  };
  const limits = { timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS, interrupted: interruption() };
  const { applications, problem } = await waitUntilReady(kube, selection, limits, show);
  region?.show('');
  await printFinal(kube, applications, options);
  if (problem !== undefined) throw problem;
}

/** Throws when flags do not go together. */
function checkFlags(options: StatusOptions): void {
  const { wait, watch, timeout } = options;
  checkNamespaces(options);
  const isWaiting = wait !== undefined;
  if (isWaiting && watch === true) throw new Error('--wait ends and --watch does not: use only one of the two');
  if (!isWaiting && timeout !== undefined) throw new Error('--timeout limits --wait: set --wait, too');
}

/** The reader of our output may have read enough, e.g. `head`; a script that waits must not take this for success. */
function endWithReader({ wait }: StatusOptions): void {
  process.stdout.once('error', () => process.exit(wait === undefined ? process.exitCode : 1));
}

async function status(argument: string | undefined, options: StatusOptions): Promise<void> {
  const { wait, watch } = options;
  checkFlags(options);
  endWithReader(options);
  const name = nameOf(argument, wait);
  const show = wait !== undefined ? showWhenReady : watch === true ? showChanges : showOnce;
  await withSelection(name, options, (kube, selection) => show(kube, selection, options));
}

const LONGEST_MS = 24 * 3_600_000;

function timeoutFrom(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0 && ms <= LONGEST_MS) return ms;
  throw new InvalidArgumentError('must be a duration of up to 24h, e.g. 90s or 5m.');
}

/** `fairlead status`: exit code 1 when the named Application does not exist. */
export function statusCommand(): Command {
  const command = new Command('status')
    .description('Show the status of Applications, one row per destination.')
    .argument('[name]', 'only this Application');
  withListing(command, 'Applications')
    .option('-w, --watch', 'show every change, until Ctrl-C')
    .option('--wait [state]', 'wait until all are Ready; exit code 1 if one is stalled, 124 if the time is over')
    .option('--timeout <duration>', 'how long --wait waits; default: 5m', timeoutFrom);
  return withConnection(command).action(status);
}
