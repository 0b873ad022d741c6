import { access, constants, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Run } from './engine/process/types.js';
import type { Address } from './option-values.js';
import { OPTIONS, type Options } from './options.js';
import { TerminalError } from './runtime/pure/errors.js';

const REASON = 'SettingsInvalid';
const PROGRAM_LIMIT_MS = 30_000;

/** A program that the embedded engine runs, how to get its version, and what it is for. */
const PROGRAMS = [
  { key: 'helmPath', args: ['version', '--short'], version: /^v?4\./, wanted: 'helm 4', use: 'every chart' },
  { key: 'kustomizePath', args: ['version'], version: /^v?5\./, wanted: 'kustomize 5', use: 'post renderers' },
  { key: 'gitPath', args: ['--version'], version: /^git version/, wanted: 'git', use: 'GitRepositories' },
] as const;

type Program = (typeof PROGRAMS)[number];

function flagOf(key: keyof Options): { flag: string; defaultValue: string | undefined } {
  const row = OPTIONS.find((each) => each.key === key);
  return { flag: `--${row?.flag ?? key}`, defaultValue: row?.defaultValue };
}

function why(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function problemOf({ args, version, wanted }: Program, command: string, run: Run): Promise<string | undefined> {
  try {
    const { code, stdout } = await run(command, args, { timeoutMs: PROGRAM_LIMIT_MS });
    return code === 0 && version.test(stdout) ? undefined : `${command} is not ${wanted}`;
  } catch (error: unknown) {
    return why(error);
  }
}

/** Helm has to be there; what only some releases need has to be there when its flag names it. */
async function checkProgram(program: Program, { options, run, log }: SettingsCheck): Promise<void> {
  const command = options[program.key];
  const { flag, defaultValue } = flagOf(program.key);
  const problem = await problemOf(program, command, run);
  if (problem === undefined) return;
  if (program.key === 'helmPath' || command !== defaultValue) throw new TerminalError(REASON, `${flag}: ${problem}`);
  log.warn({ err: problem }, `${program.use} will fail: install ${program.wanted}, or set ${flag}`);
}

/** Not mkdir's own `recursive`, which never ends where a folder takes in no other one, as /proc. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder);
}

async function checkStorage({ storagePath }: Options): Promise<void> {
  const folder = path.resolve(storagePath);
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (cause: unknown) {
    throw new TerminalError(REASON, `--storage-path: cannot write into ${folder}: ${why(cause)}`, { cause });
  }
}

export interface SettingsCheck {
  readonly options: Options;
  readonly run: Run;
  readonly log: Logger;
}

/**
 * Tries what the embedded engine will need: a folder and programs. Throws a TerminalError that names the flag; a default
 * program that only some releases need is no more than a warning.
 */
export async function checkEngineSettings(check: SettingsCheck): Promise<void> {
  await checkStorage(check.options);
  for (const program of PROGRAMS) await checkProgram(program, check);
}

/** Opens what listens at the address of a flag. Throws a TerminalError that names the flag and the address. */
export async function listening<T>(
  key: 'healthAddr' | 'storageAddr',
  options: Options,
  open: (at: Address) => Promise<T>,
): Promise<T> {
  const address = options[key];
  try {
    return await open(address);
  } catch (cause: unknown) {
    const { flag } = flagOf(key);
    throw new TerminalError(REASON, `${flag}: cannot listen on ${address.host}:${address.port}: ${why(cause)}`, {
      cause,
    });
  }
}
