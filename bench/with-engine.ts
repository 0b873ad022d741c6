import { startController, type ControllerProcess } from '#sandbox/controller-process.js';
import type { World } from '#sandbox/world.js';
import { untilRunning } from './controller-figures.js';

export interface EngineRun {
  readonly world: World;
  /** The only one that it reconciles. */
  readonly namespace: string;
  /** How many objects of a kind are reconciled at once. */
  readonly concurrency: number;
}

/** Runs a controller with the embedded engine for as long as `measure` takes. */
export async function withEngine<T>(
  { world, namespace, concurrency }: EngineRun,
  measure: (controller: ControllerProcess) => Promise<T>,
): Promise<T> {
  const { helm, kustomize } = world.tools;
  const flags = ['--concurrent', `${concurrency}`, '--namespace', namespace];
  const { kubeconfig } = world.host;
  const controller = await startController({ kubeconfig, helm, kustomize, dir: world.dir, flags });
  try {
    await untilRunning(controller);
    return await measure(controller);
  } finally {
    await controller.stop();
  }
}
