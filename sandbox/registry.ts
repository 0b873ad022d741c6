import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { stringify } from 'yaml';
import { runCommand } from './command.js';
import { helmEnvironment } from './helm-repository.js';
import type { ProcessSpec } from './world/supervisor-protocol.js';
import { LOOPBACK } from './world/ports.js';

const PUSHES_AT_ONCE = 2;

export interface RegistryOptions {
  /** Of its configuration. */
  readonly dir: string;
  readonly program: string;
  readonly port: number;
  /** Default: in `dir`. */
  readonly storage?: string;
  /** Additions to the `http` section. */
  readonly http?: object;
  /** Other sections. */
  readonly more?: object;
}

/** An OCI registry, by default plain HTTP, on loopback. Writes its configuration. */
export async function registrySpec(options: RegistryOptions): Promise<ProcessSpec> {
  const { dir, program, port, storage = path.join(dir, 'registry'), http = {}, more = {} } = options;
  const config = path.join(dir, 'registry.yaml');
  const content = {
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: storage }, delete: { enabled: true } },
    http: { addr: `${LOOPBACK}:${port}`, ...http },
    ...more,
  };
  await writeFile(config, stringify(content));
  const env = { HOME: dir, PATH: '/usr/bin:/bin', OTEL_TRACES_EXPORTER: 'none' };
  return { name: 'registry', program, args: ['serve', config], env };
}

/** Pushes chart archives to `oci://REGISTRY/charts/NAME:VERSION` with the real helm. */
export async function pushCharts(options: {
  helm: string;
  registry: string;
  archives: readonly string[];
  home: string;
}): Promise<void> {
  const limit = pLimit(PUSHES_AT_ONCE);
  const push = (archive: string): Promise<string> =>
    runCommand(options.helm, ['push', archive, `oci://${options.registry}/charts`, '--plain-http'], {
      env: helmEnvironment(options.home),
    });
  await Promise.all(options.archives.map((archive) => limit(() => push(archive))));
}
