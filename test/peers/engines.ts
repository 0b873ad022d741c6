import { ensureTools } from '#sandbox/tools.js';
import type { Cluster } from '#sandbox/world.js';
import type { Processes } from '#sandbox/world/processes.js';

/** Objects at a time. */
export const PARALLEL = 20;

/** What reconciles the objects of one cluster, until it is stopped. */
export interface Engine {
  readonly stop: () => Promise<void>;
}

/** Each controller of Flux that we are compared with, as a process with all its defaults. */
export type Controller = 'kustomize-controller';

/** Builds the controller unless it is built. */
async function programOf(controller: Controller): Promise<string> {
  const tools = await ensureTools([controller], { log: (line) => process.stdout.write(`${line}\n`) });
  return tools[controller];
}

/** Only what several on one machine need, and what makes waiting shorter, is not as in Flux's own manifests. */
const FLAGS = [
  ...['--watch-all-namespaces=true', '--log-encoding=json', '--metrics-addr=0', '--health-addr=0'],
  ...[`--concurrent=${PARALLEL}`, '--requeue-dependency=1s', '--kube-api-qps=500', '--kube-api-burst=1000'],
];

export interface FluxOptions {
  readonly controller: Controller;
  readonly cluster: Cluster;
  readonly processes: Processes;
  /** For its temporary folders; the process has no home. */
  readonly scratch: string;
}

export async function startFlux({ controller, cluster, processes, scratch }: FluxOptions): Promise<Engine> {
  const program = await programOf(controller);
  const env = { KUBECONFIG: cluster.kubeconfig, HOME: scratch, TMPDIR: scratch, RUNTIME_NAMESPACE: 'flux-system' };
  const running = processes.start({ name: `${controller}-${cluster.name}`, program, args: FLAGS, env });
  return { stop: running.kill };
}
