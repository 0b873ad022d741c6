import { cpus, totalmem } from 'node:os';
import type { Bench } from './harness.js';

/** Loaded on demand: each brings its own world. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  application: async () => (await import('./application.js')).applicationBench,
  churn: async () => (await import('./robustness.js')).churnBench,
  console: async () => (await import('./console.js')).consoleBench,
  crd: async () => (await import('./crd.js')).crdBench,
  dashboard: async () => (await import('./dashboard.js')).dashboardBench,
  drift: async () => (await import('./drift.js')).driftBench,
  editor: async () => (await import('./editor.js')).editorBench,
  fleet: async () => (await import('./fleet.js')).fleetBench,
  helm: async () => (await import('./helm.js')).helmBench,
  kill: async () => (await import('./robustness.js')).killBench,
  kustomization: async () => (await import('./kustomization.js')).kustomizationBench,
  rollout: async () => (await import('./rollout.js')).rolloutBench,
  protocols: async () => (await import('./protocols.js')).protocolsBench,
  runtime: async () => (await import('./runtime.js')).runtimeBench,
  source: async () => (await import('./source.js')).sourceBench,
  leader: async () => (await import('./robustness.js')).leaderBench,
  watch: async () => (await import('./robustness.js')).watchBench,
};

function machine(): Record<string, unknown> {
  const [cpu] = cpus();
  return {
    cores: cpus().length,
    cpu: cpu?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

async function main([name, ...flags]: readonly string[]): Promise<void> {
  const load = name === undefined ? undefined : BENCHES[name];
  if (load === undefined) {
    throw new Error(`usage: npm run -s bench -- NAME [--full]; NAME is one of ${Object.keys(BENCHES).join(', ')}`);
  }
  const bench = await load();
  const full = flags.includes('--full');
  const figures = await bench({ full });
  process.stdout.write(`${JSON.stringify({ name, full, machine: machine(), ...figures }, null, 2)}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
