import { Command } from 'commander';
import partition from 'lodash/partition.js';
import type { KubeObject } from '../api/meta.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { withConnection, withKube, type ConnectionOptions } from './connection.js';
import { FIELD_MANAGER, installCrds } from './install/crds.js';
import { isOurs, type CrdStep } from './install/crd-rules.js';
import { imageOf, isForEngine, readController, withImage } from './install/package.js';
import { ResourceTypes } from './resource-types.js';

interface InstallOptions extends ConnectionOptions {
  readonly crdsOnly?: true;
  readonly takeOver?: true;
  readonly replaceFlux?: true;
  readonly fluxNamespace?: string;
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
    say(`CRD ${name} ${action === 'apply' ? 'applied' : 'unchanged'} (${why})`);
  if (isLeftToFlux(steps)) say('Flux in this cluster will reconcile the releases.');
}

function isLeftToFlux(steps: readonly CrdStep[]): boolean {
  return steps.some(({ action }) => action === 'leave');
}

/** The rights of the embedded engine, which an earlier installation gave. */
async function revoke(kube: Kube, objects: readonly KubeObject[]): Promise<void> {
  const types = new ResourceTypes(kube);
  for (const object of objects) {
    const type = await types.of(object);
    const live = await kube.get(type, object.metadata);
    if (live === undefined || !isOurs(live)) continue;
    await kube.delete(type, object.metadata);
    say(`${object.kind} ${object.metadata.name} removed: only the embedded engine needs it`);
  }
}

async function installController(kube: Kube, image: string | undefined, isExternal: boolean): Promise<void> {
  const objects = withImage(await readController(), image);
  const [forEngine, forAll] = partition(objects, isForEngine);
  await applyAll(kube, isExternal ? forAll : objects);
  if (isExternal) await revoke(kube, forEngine);
  else say('The controller has cluster-admin; use `kustomize build config/tenant` to install it without.');
  if (image === undefined) say(`Image: ${imageOf(objects)}, which you build yourself; use --image for another one.`);
}

async function install(options: InstallOptions): Promise<void> {
  const { fluxNamespace } = options;
  const rules = { takeOver: options.takeOver === true, replaceFlux: options.replaceFlux === true, fluxNamespace };
  await withKube(options, async (kube) => {
    const steps = await installCrds(kube, rules);
    sayCrds(steps);
    if (options.crdsOnly !== true) await installController(kube, options.image, isLeftToFlux(steps));
  });
}

/** `fairlead install`. */
export function installCommand(): Command {
  const command = new Command('install')
    .description('Install or upgrade the CRDs and the controller. Can be repeated safely.')
    .option('--crds-only', 'install only the CRDs')
    .option('--take-over', 'replace CRDs that somebody else installed, except those of Flux')
    .option(
      '--replace-flux',
      'replace the CRDs of Flux after Flux was stopped, so that the embedded engine continues with its releases',
    )
    .option(
      '--flux-namespace <name>',
      'namespace in which --replace-flux checks that Flux was stopped, as for the controller; default: all namespaces',
    )
    .option('--image <reference>', 'image of the controller; default: the one of config/manager');
  return withConnection(command).action(install);
}
