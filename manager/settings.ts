import { access, constants, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Run } from '#engine/process/run.js';
import { readTrustedRoot } from '#controllers/source/cosign/verify.js';
import { TerminalError } from '#lib/errors.js';
import type { Address } from './option-values.js';
import { OPTIONS, type Options } from './options.js';
import { errorText, PROGRAM_LIMIT_MS, programProblem, PROGRAMS, type Program } from './programs.js';

const REASON = 'SettingsInvalid';

function flagOf(key: keyof Options): { flag: string; defaultValue: string | undefined } {
  const row = OPTIONS.find((each) => each.key === key);
  return { flag: `--${row?.flag ?? key}`, defaultValue: row?.defaultValue };
}

/** True for a program that is there, and must not be used. */
async function isOldGit({ key, args }: Program, command: string, run: Run): Promise<boolean> {
  return (
    key === 'gitPath' && (await run(command, args, { timeoutMs: PROGRAM_LIMIT_MS }).catch(() => undefined))?.code === 0
  );
}

/**
 * Helm has to be there, and git may not be an old one; what only some releases need has to be there when its flag names
 * it.
 */
async function checkProgram(program: Program, { options, run, log }: SettingsCheck): Promise<string | undefined> {
  const command = options[program.key];
  const { flag, defaultValue } = flagOf(program.key);
  const problem = await programProblem(program, command, run);
  if (problem === undefined) return undefined;
  if (program.key === 'helmPath' || command !== defaultValue || (await isOldGit(program, command, run))) {
    return `${flag}: ${problem}; install ${program.wanted}, or set ${flag} to where it is`;
  }
  log.warn({ err: problem }, `${program.use} will fail: install ${program.wanted}, or set ${flag}`);
  return undefined;
}

/** Not mkdir's own `recursive`, which never ends where a folder takes in no other one, as /proc. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder);
}

async function checkStorage({ storagePath: folder }: Options): Promise<string | undefined> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
    return undefined;
  } catch (error: unknown) {
    return `--storage-path: cannot write into ${folder}: ${errorText(error)}; set it to a folder of your own`;
  }
}

async function checkTrustedRoot({ trustedRootFile }: Options): Promise<string | undefined> {
  if (trustedRootFile === undefined) return undefined;
  try {
    const { identityCheck, keylessVerifier } = await import('#controllers/source/cosign/model/keyless.js');
    keylessVerifier(await readTrustedRoot(trustedRootFile), identityCheck([]));
    return undefined;
  } catch (error: unknown) {
    return `--sigstore-trusted-root: ${trustedRootFile}: ${errorText(error)}; \`cosign trusted-root create\` makes one`;
  }
}

export interface SettingsCheck {
  readonly options: Options;
  readonly run: Run;
  readonly log: Logger;
}

/**
 * Tries what the embedded engine will need: a folder and programs. Returns one line for each setting that cannot work,
 * with its flag; a default program that only some releases need is no more than a warning.
 */
export async function engineProblems(check: SettingsCheck): Promise<string[]> {
  const files = [checkStorage(check.options), checkTrustedRoot(check.options)];
  const problems = [...files, ...PROGRAMS.map((program) => checkProgram(program, check))];
  return (await Promise.all(problems)).filter((problem) => problem !== undefined);
}

/** Throws a TerminalError with one line for each problem. */
export function refuseSettings(problems: readonly string[]): never {
  throw new TerminalError(REASON, problems.join('\n'));
}

/** Opens what listens at the address of a flag. Throws a TerminalError that names the flag and the address. */
export async function listening<T>(
  key: 'healthAddr' | 'storageAddr' | 'webhookAddr',
  address: Address,
  open: (at: Address) => Promise<T>,
): Promise<T> {
  try {
    return await open(address);
  } catch (cause: unknown) {
    const { flag } = flagOf(key);
    const problem = `cannot listen on ${address.host}:${address.port}: ${errorText(cause)}`;
    throw new TerminalError(REASON, `${flag}: ${problem}; set another one, with port 0 for a free port`, { cause });
  }
}
