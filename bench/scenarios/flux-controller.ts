import { ensureTools } from '#sandbox/tools.js';
import type { Cluster } from '#sandbox/world.js';
import type { Processes, WorldProcess } from '#sandbox/world/processes.js';

/** Each controller of Flux that we are compared with. */
export type FluxController = 'kustomize-controller' | 'source-controller';

export interface FluxOptions {
  readonly controller: FluxController;
  readonly cluster: Cluster;
  readonly processes: Processes;
  /** For its temporary folders, and its home. */
  readonly scratch: string;
  /** Objects at a time. */
  readonly concurrency: number;
  /** The only namespace that it reconciles; default: all. */
  readonly namespace?: string;
  /** Of this controller only. */
  readonly flags?: readonly string[];
}

/** Only what several on one machine need, and what makes waiting shorter, is not as in Flux's own manifests. */
const FLAGS = [
  ...['--log-encoding=json', '--metrics-addr=0', '--health-addr=0', '--requeue-dependency=1s'],
  ...['--kube-api-qps=500', '--kube-api-burst=1000'],
];

/** Starts a controller of Flux, which is compiled unless it is there, in a process of its own. */
export async function startFlux(options: FluxOptions): Promise<WorldProcess> {
  const { controller, cluster, processes, scratch, concurrency, namespace, flags = [] } = options;
  const tools = await ensureTools([controller], { log: (line) => process.stderr.write(`${line}\n`) });
  const env = {
    ...{ KUBECONFIG: cluster.kubeconfig, HOME: scratch, TMPDIR: scratch },
    // It decrypts with gpg.
    PATH: process.env['PATH'] ?? '',
    RUNTIME_NAMESPACE: namespace ?? 'flux-system',
  };
  const args = [...FLAGS, ...flags, `--concurrent=${concurrency}`, `--watch-all-namespaces=${namespace === undefined}`];
  return processes.start({ name: `${controller}-${cluster.name}`, program: tools[controller], args, env });
}
