import type { Application } from '#api/v1alpha1/application.js';
import type { FluxObjectView } from '#queries/answers/flux-object.js';
import { sortedViews } from '#queries/views/application-view.js';
import { oneLine } from '#lib/text/text.js';
import type { Kube } from '#runtime/client/kube.js';
import { isBad, painted, type Terminal, withSymbol } from '../output/model/terminal.js';
import { padded, widthOf, wrap } from '../output/model/text.js';
import { inFormat, isTable, type ListingOptions } from '../output/listing.js';
import { newLines } from '../output/progress.js';
import { outputRegion, outputTerminal, print } from '../output/standard-output.js';
import { lastLines } from './last-lines.js';
import { approvals, lookFurther, lookIntoObjects } from './look-further.js';
import { type Selection, waitUntilReady } from './wait.js';
import { fluxTable } from './model/flux-table.js';
import { statusTable, worstFirst } from './model/status-table.js';

const STATE_COLUMNS = 'Progressing'.length;
const READY_COLUMNS = 'n/m'.length;

/** One line per Application, for people who wait; the cause is at its end where somebody has to act. */
export function progressLines(applications: readonly Application[], terminal: Terminal): string {
  const views = sortedViews(applications);
  const nameColumns = Math.max(0, ...views.map(({ name }) => widthOf(name)));
  const lines = views.map(({ name, ready, state, message }) => {
    const symbol = withSymbol(state, terminal);
    const columns = STATE_COLUMNS + widthOf(symbol) - widthOf(state);
    const shown = painted(padded(symbol, columns), state, terminal);
    const cause = isBad(state) ? oneLine(message) : '';
    return [padded(name, nameColumns), padded(ready, READY_COLUMNS), shown, cause].join('  ').trimEnd();
  });
  return lines.join('\n');
}

/** What is waited for at most if nobody says. */
export const DEFAULT_TIMEOUT_MS = 300_000;

type FinalOptions = Pick<ListingOptions, 'output' | 'allNamespaces'>;

export interface WaitOptions extends FinalOptions {
  /** Milliseconds. */
  readonly timeout?: number;
  /** Epoch milliseconds; the default is the timeout from now. */
  readonly until?: number;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
}

/** HelmReleases and Kustomizations that no Application has. */
export interface ListedPlain {
  readonly views: readonly FluxObjectView[];
  /** Kinds that the user may not list. */
  readonly unread: readonly string[];
}

/** The Applications in the format that the user wants, with the plain objects if they were read. */
export function statusText(applications: readonly Application[], options: FinalOptions, plain?: ListedPlain): string {
  const views = sortedViews(applications);
  const allNamespaces = options.allNamespaces === true;
  const { views: objects = [], unread = [] } = plain ?? {};
  const others = { ...(plain && { fluxObjects: objects }), ...(unread.length > 0 && { unread }) };
  return inFormat(options, { applications: views, ...others }, (wide) => {
    const table = { allNamespaces, wide, terminal: outputTerminal() };
    return [
      ...(views.length === 0 ? [] : [statusTable(views, table)]),
      ...(objects.length === 0 ? [] : [fluxTable(objects, table)]),
    ].join('\n\n');
  });
}

const APPROVE = 'If the removals that wait are right, approve them:';

/** Commands are not wrapped: people copy them into a shell. */
export function section(title: string, commands: readonly string[]): string[] {
  return commands.length === 0 ? [] : [title, ...commands.map((command) => `  ${command}`)];
}

/** The state at the end of the command; people at a terminal read more of what is wrong, and what to do next. */
export async function printFinal(
  kube: Kube,
  applications: readonly Application[],
  options: FinalOptions,
  plain?: ListedPlain,
): Promise<void> {
  print(statusText(applications, options, plain));
  const { hasSymbols, columns = Infinity } = outputTerminal();
  if (!isTable(options) || !hasSymbols) return;
  const views = sortedViews(applications);
  const rows = worstFirst(views);
  const commands = [...lookFurther(rows), ...lookIntoObjects(plain?.views ?? [])];
  const lines = commands.length === 0 ? [] : (await lastLines(kube, rows)).flatMap((line) => wrap(line, columns));
  const parts = [...lines, ...section('Look further:', commands), ...section(APPROVE, approvals(views))];
  if (parts.length > 0) print(['', ...parts].join('\n'));
}

/** The progress goes to a terminal, or line by line to stderr: stdout gets the state at the end. */
export async function showWhenReady(kube: Kube, selection: Selection, options: WaitOptions): Promise<void> {
  const terminal = outputTerminal();
  const region = terminal.isLive ? outputRegion() : undefined;
  let last = '';
  const show = (applications: readonly Application[]): void => {
    const lines = progressLines(applications, terminal);
    if (region !== undefined) region.show(lines);
    else for (const line of newLines(last, lines)) process.stderr.write(`${line}\n`);
    last = lines;
  };
  const { timeout: timeoutMs = DEFAULT_TIMEOUT_MS, until = Date.now() + timeoutMs, interrupted } = options;
  const limits = { timeoutMs, until, interrupted };
  const { applications, problem } = await waitUntilReady(kube, selection, limits, show);
  region?.show('');
  await printFinal(kube, applications, options);
  if (problem !== undefined) throw problem;
}
