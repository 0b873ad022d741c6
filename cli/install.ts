import { Command } from 'commander';
import type { KubeObject } from '../api/meta.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { withConnection, withKube, type ConnectionOptions } from './connection.js';
import { FIELD_MANAGER, installCrds } from './install/crds.js';
import type { CrdStep } from './install/crd-rules.js';
import { readController, withImage } from './install/package.js';
import { ResourceTypes } from './resource-types.js';

interface InstallOptions extends ConnectionOptions {
  readonly crdsOnly?: true;
  readonly takeOver?: true;
  readonly image?: string;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function applyAll(kube: Kube, objects: readonly KubeObject[]): Promise<void> {
  const types = new ResourceTypes(kube);
  for (const object of objects) {
    await kube.apply(await types.of(object), object, { fieldManager: FIELD_MANAGER, force: true });
    say(`${object.kind} ${object.metadata.name} applied`);
  }
}

function sayCrds(steps: readonly CrdStep[]): void {
  for (const { name, action, why } of steps)
    say(`CRD ${name} ${action === 'apply' ? 'applied' : 'left alone'} (${why})`);
  if (steps.some(({ action }) => action === 'leave')) say('The Flux in this cluster will run the releases.');
}

async function install(options: InstallOptions): Promise<void> {
  await withKube(options, async (kube) => {
    sayCrds(await installCrds(kube, { takeOver: options.takeOver === true }));
    if (options.crdsOnly !== true) await applyAll(kube, withImage(await readController(), options.image));
  });
}

/** `fairlead install`. */
export function installCommand(): Command {
  const command = new Command('install')
    .description('Install or upgrade the CRDs and the controller. Safe to repeat.')
    .option('--crds-only', 'install the CRDs and nothing else')
    .option('--take-over', 'replace CRDs that somebody else installed (those of Flux are always left alone)')
    .option('--image <reference>', 'image of the controller; default: the one of config/manager');
  return withConnection(command).action(install);
}
