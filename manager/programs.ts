import type { Run } from '#engine/process/run.js';

export const PROGRAM_LIMIT_MS = 30_000;

/** A program that the embedded engine runs, how to get its version, and what it is for. */
export const PROGRAMS = [
  {
    key: 'helmPath',
    command: 'helm',
    args: ['version', '--short'],
    version: /^v?4\./,
    wanted: 'helm 4',
    use: 'every chart',
  },
  {
    key: 'kustomizePath',
    command: 'kustomize',
    args: ['version'],
    version: /^v?5\./,
    wanted: 'kustomize 5',
    use: 'post renderers',
  },
  {
    key: 'gitPath',
    command: 'git',
    args: ['--version'],
    // An older one ignores the settings that it is given, with which nothing in a repository is run or read.
    version: /^git version (?:2\.(?:3[1-9]|[4-9]\d|\d{3})|[3-9])\./,
    wanted: 'git 2.31 or newer',
    use: 'GitRepositories',
  },
] as const;

export type Program = (typeof PROGRAMS)[number];

/** The message of an error. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Why a command is not this program; undefined if it is. */
export async function programProblem(
  { args, version, wanted }: Program,
  command: string,
  run: Run,
): Promise<string | undefined> {
  try {
    const { code, stdout } = await run(command, args, { timeoutMs: PROGRAM_LIMIT_MS });
    return code === 0 && version.test(stdout) ? undefined : `${command} is not ${wanted}`;
  } catch (error: unknown) {
    return errorText(error);
  }
}
