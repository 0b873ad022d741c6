import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureTools, WORLD_TOOLS } from '#sandbox/tools.js';
import { startEtcd, type Cluster } from '#sandbox/world.js';
import { kubeconfigFor, prepareFiles, runApiServer, startApiServer } from '#sandbox/world/cluster.js';
import { newTokens, writeSigningKeys } from '#sandbox/world/credentials.js';
import { claimFolder } from '#sandbox/world/folder.js';
import { Processes } from '#sandbox/world/processes.js';

const START_LIMIT_MS = 300_000;
const NAME = 'lone';

/** An API server and its etcd without any controller, to be broken by its owner. */
export interface LoneCluster extends Cluster {
  /**
   * File with the CA certificates (PEM) whose client certificates are accepted; the server reads it when it changes.
   */
  readonly clientCa: string;
  /** Kills the API server and starts it again: same port, same etcd. Resolves when it is ready. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it in `dir`, which must be empty; `clientCa` is what its client CA file holds at first (PEM). */
export async function startLoneCluster(dir: string, clientCa: string): Promise<LoneCluster> {
  const tools = await ensureTools(WORLD_TOOLS, {});
  await claimFolder(dir);
  const processes = await Processes.open(dir);
  try {
    return await startIn({ dir, tools, processes }, clientCa);
  } catch (error: unknown) {
    await processes.stop();
    throw error;
  }
}

type Place = Pick<Parameters<typeof startEtcd>[0], 'dir' | 'tools' | 'processes'>;

async function startIn(place: Place, clientCa: string): Promise<LoneCluster> {
  const { dir, tools, processes } = place;
  const signal = AbortSignal.timeout(START_LIMIT_MS);
  const files = { clientCa: path.join(dir, 'client-ca.crt'), auditLog: path.join(dir, 'logs', `${NAME}-audit.log`) };
  await writeFile(files.clientCa, clientCa);
  const signingKeys = await writeSigningKeys(dir, 'service-accounts');
  const layout = {
    ...{ name: NAME, index: 0, folder: path.join(dir, NAME), home: dir },
    ...{ auditLog: files.auditLog, tools, signingKeys },
  };
  const start = {
    ...{ layout, kubeconfig: path.join(dir, `${NAME}.kubeconfig`), processes, signal },
    ...{ etcdPort: await startEtcd({ ...place, signal }), apiServerArgs: [`--client-ca-file=${files.clientCa}`] },
  };
  const tokens = newTokens();
  await prepareFiles(layout, tokens);
  let api = await startApiServer(start, tokens);
  await api.probe.close();
  const kubeconfig = await kubeconfigFor(start, api, tokens, 'sandbox-admin');
  return {
    ...{ name: NAME, server: api.server, kubeconfig, ...files },
    restart: async () => {
      await api.process.kill();
      api = await runApiServer({ ...start, signal: AbortSignal.timeout(START_LIMIT_MS) }, tokens, api.port);
      await api.probe.close();
    },
    stop: () => processes.stop(),
  };
}
