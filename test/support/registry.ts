import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { registrySpec } from '#sandbox/registry.js';
import { freePort } from '#sandbox/world/ports.js';
import { ProcessEndedError, startOnFreePort } from '#sandbox/world/processes.js';
import type { ProcessSpec } from '#sandbox/world/supervisor-protocol.js';
import { eventually } from './world.js';

export interface RegistryConfig {
  /** As in the registry's own configuration. */
  readonly auth?: object;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Origin that layers are redirected to. */
  readonly redirect?: string;
  /** Files beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface RunningRegistry {
  /** `HOST:PORT`. */
  readonly host: string;
  stop(): Promise<void>;
}

/** Where registries keep what is pushed; each of them may have another way in. */
export interface RegistryFolder {
  /** Below it the layers are, at the path that a redirect names. */
  readonly storage: string;
  /** Starts the real registry. `folder` in a value of `auth` is that of `files`. */
  start(config: (folder: string) => RegistryConfig): Promise<RunningRegistry>;
  remove(): Promise<void>;
}

/** Any answer will do, also such a one. Everything else may be of a connection to itself, as nobody listens yet. */
function isAboutCertificate(error: unknown): boolean {
  const { code = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException; // as fetch throws
  return /CERT|SIGNATURE/.test(code);
}

/** Throws ProcessEndedError if it ends at once: its port may have been taken. */
async function started({ name, program, args, env }: ProcessSpec, origin: string): Promise<() => Promise<void>> {
  const child = spawn(program, args, { stdio: 'ignore', env });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  try {
    await eventually(async () => {
      if (child.exitCode !== null) return;
      await fetch(origin).catch((error: unknown) => {
        if (!isAboutCertificate(error)) throw error;
      });
    });
  } catch (error: unknown) {
    await stop();
    throw error;
  }
  if (child.exitCode !== null) throw new ProcessEndedError(name, `exit code ${child.exitCode}`, '(no log)');
  return stop;
}

export async function createRegistryFolder(program: string): Promise<RegistryFolder> {
  const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-registry-'));
  const storage = path.join(dir, 'storage');
  let count = 0;
  return {
    storage,
    async start(configOf) {
      count += 1;
      const folder = path.join(dir, `registry-${count}`);
      await mkdir(folder);
      const { auth, tls, redirect, files = {} } = configOf(folder);
      const certificates = tls === undefined ? {} : { 'tls.crt': tls.cert, 'tls.key': tls.key };
      for (const [name, content] of Object.entries({ ...files, ...certificates })) {
        await writeFile(path.join(folder, name), content);
      }
      const certificate = { certificate: path.join(folder, 'tls.crt'), key: path.join(folder, 'tls.key') };
      const middleware = { storage: [{ name: 'redirect', options: { baseurl: redirect } }] };
      return startOnFreePort(async () => {
        const port = await freePort();
        const spec = await registrySpec({
          ...{ dir: folder, program, port, storage, http: tls === undefined ? {} : { tls: certificate } },
          more: { ...(auth && { auth }), ...(redirect && { middleware }) },
        });
        const host = `localhost:${port}`;
        const stop = await started(spec, `${tls === undefined ? 'http' : 'https'}://${host}/v2/`);
        return { host, stop };
      });
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
