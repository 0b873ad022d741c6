import { run } from '#engine/process/run.js';
import { rendererWith, type FindRenderer } from '#queries/plans/lazy-renderer.js';
import { programProblem, PROGRAMS } from '#manager/programs.js';
import { createOffload, type Offload } from '#runtime/isolation/offload.js';
import { findTool } from '#sandbox/tools.js';

const [HELM, KUSTOMIZE] = PROGRAMS;

type Renderer = typeof HELM | typeof KUSTOMIZE;

function flagOf({ command }: Renderer): string {
  return `--${command}-path`;
}

/** Throws if what the user named is not this program. */
async function checkProgram(program: Renderer, path: string | undefined): Promise<void> {
  const problem = path === undefined ? undefined : await programProblem(program, path, run);
  if (problem === undefined) return;
  const flag = flagOf(program);
  throw new Error(`${flag}: ${problem}; install ${program.wanted}, or set ${flag} to where it is`);
}

/** Throws if what the user named is not helm. */
export function checkHelm(path: string | undefined): Promise<void> {
  return checkProgram(HELM, path);
}

/** Throws if what the user named is not kustomize. */
export function checkKustomize(path: string | undefined): Promise<void> {
  return checkProgram(KUSTOMIZE, path);
}

/** The one that the user named, that of PATH, or that of sandboxes. */
async function findProgram(program: Renderer, path: string | undefined): Promise<string | undefined> {
  if (path !== undefined) return path;
  if ((await programProblem(program, program.command, run)) === undefined) return program.command;
  return findTool(program.command).catch(() => undefined);
}

/** Throws if a program that is needed is not there. */
async function requireProgram(program: Renderer, path: string | undefined): Promise<string> {
  const found = await findProgram(program, path);
  if (found !== undefined) return found;
  throw new Error(`there is no ${program.wanted} on PATH: install it, or set ${flagOf(program)}`);
}

/** The programs that render, of which only those have to be there that are needed. */
export interface RenderPrograms {
  readonly helmPath: string;
  readonly kustomizePath: string;
}

/** Finds the programs that the user has not named. Throws if one that is needed is not there. */
export async function requirePrograms(
  named: { readonly [Path in keyof RenderPrograms]: string | undefined },
  needs: { readonly helm: boolean; readonly kustomize: boolean },
): Promise<RenderPrograms> {
  const { helmPath, kustomizePath } = named;
  return {
    helmPath: needs.helm ? await requireProgram(HELM, helmPath) : HELM.command,
    kustomizePath: needs.kustomize ? await requireProgram(KUSTOMIZE, kustomizePath) : KUSTOMIZE.command,
  };
}

/** What one command computes with. */
export interface Workbench {
  readonly offload: Offload;
  readonly findRenderer: FindRenderer;
}

/** Gives `work` threads and the helm of this machine, for as long as it takes. */
export async function withWorkbench<T>(
  helmPath: string | undefined,
  work: (workbench: Workbench) => Promise<T>,
): Promise<T> {
  const offload = createOffload();
  const findRenderer = rendererWith(() => findProgram(HELM, helmPath), offload);
  try {
    return await work({ offload, findRenderer });
  } finally {
    await offload.close();
  }
}
