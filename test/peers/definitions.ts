import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { FluxController } from '#bench/scenarios/flux-controller.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { runCommand } from '#sandbox/command.js';
import { TOOLS } from '#sandbox/tools/table.js';

/** The definitions of the controller's kinds, in its module of Go, which is fetched unless it is there. */
export async function definitionsOf(controller: FluxController): Promise<string[]> {
  const cwd = path.join(PACKAGE_ROOT, 'tools', TOOLS[controller].module);
  const output = await runCommand('go', ['mod', 'download', '-json', `github.com/fluxcd/${controller}`], { cwd });
  // Of `go help mod download`.
  const { Dir } = JSON.parse(output) as { readonly Dir: string };
  const bases = path.join(Dir, 'config', 'crd', 'bases');
  return (await readdir(bases)).map((name) => path.join(bases, name));
}
