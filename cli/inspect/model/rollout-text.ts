import { WORST_FIRST } from '#api/v1alpha1/states.js';
import { parseTimestamp, timestamp } from '#lib/kube/conditions.js';
import { counted, oneLine } from '#lib/text/text.js';
import type {
  NextCommand,
  ProgressRow,
  RolloutProgress,
  StageProgress,
  WindowProgress,
} from '#queries/answers/rollout-progress.js';
import { causeFirst } from '#queries/views/state-meaning.js';
import { byState, type Column, printTable, stateColumn } from '../../output/model/table.js';
import { painted, type Terminal, withSymbol } from '../../output/model/terminal.js';
import { hanging, wrap } from '../../output/model/text.js';
import { ageOf } from './source-table.js';

export interface RolloutTextOptions {
  /** All messages, and more columns. */
  readonly wide: boolean;
  readonly terminal: Pick<Terminal, 'columns' | 'hasColors' | 'hasSymbols'>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** `2026-05-04 22:00 UTC, in 3h`. */
function comingText(time: string, now: number): string {
  const left = ageOf(timestamp(now), parseTimestamp(time) ?? now);
  return `${time.slice(0, 16).replace('T', ' ')} UTC, in ${left}`;
}

function windowText({ state, until }: WindowProgress, now: number): string {
  if (state === 'Ignored') return 'windows are ignored';
  if (until === undefined) return state === 'Open' ? 'its window is open' : 'its window never opens';
  return `${state === 'Open' ? 'its window is open until' : 'its next window opens at'} ${comingText(until, now)}`;
}

function countsText({ failed, rejected = 0, unreachable, updating, waiting, left }: StageProgress): string[] {
  const counts = { failed, rejected, unreachable, updating, waiting, 'take no part': left };
  const words = Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []));
  return words.length === 0 ? [] : [words.join(', ')];
}

/** The counts and the window say more. */
const TOLD = /^(\d+ of \d+ destinations are ready|waits for its window)$/;

function stageText(stage: StageProgress, now: number): string {
  const { message = '', window, bakesUntil } = stage;
  const why = message === '' || TOLD.test(message) ? [] : [message];
  const bake = bakesUntil === undefined ? [] : [`until ${comingText(bakesUntil, now)}`];
  return [...countsText(stage), ...why, ...bake, ...(window === undefined ? [] : [windowText(window, now)])].join('; ');
}

function stageTable(stages: readonly StageProgress[], { terminal, now }: RolloutTextOptions): string {
  const rows = stages.map((stage) => ({ ...stage, state: stage.phase }));
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'STAGE', value: ({ name }) => name },
    { ...stateColumn(terminal), title: 'PHASE' },
    { title: 'READY', value: ({ ready, total }) => `${ready}/${total}` },
    { title: 'STARTED', value: ({ startedAt = '' }) => ageOf(startedAt, now) },
    { title: 'SETTLED', value: ({ settledAt = '' }) => ageOf(settledAt, now) },
  ];
  return printTable(
    { columns, text: { title: 'MESSAGE', value: (row) => stageText(row, now) }, rows },
    terminal.columns,
  );
}

/** Reasons of whole stages, of which the stage says more. */
const OF_STAGES: readonly string[] = ['Stage', 'Approval', 'Bake', 'Window', 'Paused', 'RolledBack', 'Failures'];

interface Placed extends ProgressRow {
  readonly stage: string;
}

function rowText({ child, state, waitsFor = '', message }: Placed, isWide: boolean): string {
  if (isWide) return message;
  if (OF_STAGES.includes(waitsFor)) return '';
  if (state === 'Ready' && waitsFor === '') return '';
  // As in `fairlead status`.
  return causeFirst(message.startsWith(`${child}: `) ? message.slice(child.length + 2) : message);
}

function clusterTable(stages: readonly StageProgress[], { wide, terminal, now }: RolloutTextOptions): string {
  const rows = stages.flatMap(({ name: stage, destinations }): Placed[] =>
    byState(destinations, WORST_FIRST).map((row) => ({ ...row, stage })),
  );
  if (rows.length === 0) return '';
  const spare = (rank: number): { spare?: number } => (wide ? {} : { spare: rank });
  const columns: Column<Placed>[] = [
    { title: 'STAGE', value: ({ stage }) => stage },
    { title: 'CLUSTER', value: ({ cluster }) => cluster },
    { title: 'DESTINATION', value: ({ name }) => name, ...spare(3) },
    stateColumn(terminal),
    { title: 'SINCE', value: ({ since }) => ageOf(since, now), ...spare(1) },
    { title: 'REVISION', value: ({ revision }) => revision, ...spare(2) },
    { title: 'WAITS FOR', value: ({ waitsFor = '' }) => waitsFor },
    { title: 'FOR', value: ({ waitsSince = '' }) => ageOf(waitsSince, now) },
  ];
  return printTable(
    { columns, text: { title: 'MESSAGE', value: (row) => rowText(row, wide) }, rows },
    terminal.columns,
  );
}

function headText(view: RolloutProgress, { terminal, now }: RolloutTextOptions): string {
  const { application, namespace, revision, phase, message = '', startedAt, completedAt = '' } = view;
  const shown = painted(withSymbol(phase, terminal), phase, terminal);
  const width = terminal.columns ?? Infinity;
  const ended = completedAt === '' ? '' : `, complete since ${ageOf(completedAt, now)}`;
  const times = `begun ${ageOf(startedAt, now)} ago${ended}`;
  return [
    `Application ${namespace}/${application}, revision ${revision}: ${shown} (${times})`,
    ...(message === '' ? [] : hanging('  ', oneLine(message), width)),
  ].join('\n');
}

function notes({ unlisted, warnings }: RolloutProgress, { terminal }: RolloutTextOptions): string {
  const more = unlisted === 0 ? [] : [`and ${counted(unlisted, 'destination')} of which the status does not say more`];
  return [...more, ...warnings].flatMap((line) => wrap(line, terminal.columns ?? Infinity)).join('\n');
}

/** The first of many Applications that wait are enough to see how it is done. */
const MOST_COMMANDS = 10;

/** The commands with what they do, one per line; empty if there are none. They are not wrapped: people copy them. */
export function nextText(commands: readonly NextCommand[]): string {
  const lines = commands.slice(0, MOST_COMMANDS).map(({ command, effect }) => `  ${command}   # ${effect}`);
  return lines.length === 0 ? '' : ['Next:', ...lines].join('\n');
}

/** The output of `fairlead rollout status`: the stages, the clusters, and the next command. */
export function rolloutText(view: RolloutProgress, options: RolloutTextOptions): string {
  const { stages } = view;
  const table = stages.length === 0 ? '' : stageTable(stages, options);
  const parts = [
    headText(view, options),
    table,
    clusterTable(stages, options),
    notes(view, options),
    nextText(view.next),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
