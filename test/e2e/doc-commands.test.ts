import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { fairlead } from '#bench/scenarios/shell.js';
import { startController } from '#sandbox/controller-process.js';
import { packageCharts, startHelmRepository } from '#sandbox/helm-repository.js';
import type { Cluster, World } from '#sandbox/world.js';
import { blocksIn, type DocBlock } from '../support/doc-blocks.js';
import { eventually, useWorld } from '../support/world.js';

/** What cannot be run, and why; everything else on these pages is run as it is written. */
const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^npm test$/, 'runs this file, too'],
  [/^docker build /, 'needs a Docker engine and a registry: see test/containers'],
];

/** Runs until Ctrl-C: what it prints when it is ready. */
const ENDLESS: readonly (readonly [RegExp, string])[] = [
  [/^npm start(?!.*--clean)/, 'Running until Ctrl-C.'],
  [/--watch$/, 'APPLICATION'],
];

/**
 * A command with a process group of its own, which gets Ctrl-C at the end of our input: from the test, or because the
 * test was killed.
 */
const UNTIL_INPUT_ENDS = `set -m
bash "$@" < /dev/null & command=$!
{ cat > /dev/null; kill -INT -- "-$command"; } & watcher=$!
wait "$command"; code=$?
kill -- "-$watcher" 2> /dev/null
exit "$code"`;

/** Not a part of the checkout that a user has. */
const LEFT_OUT: readonly string[] = ['.git', '.fairlead'];

const STEP_MS = 300_000;
const PAGE_MS = 900_000;
/** The only address on the pages that is on the network. */
const PODINFO = 'https://stefanprodan.github.io/podinfo';

const lineOf = ({ title }: DocBlock): number => Number(title.split(':').at(-1));

interface Step {
  readonly language: 'sh' | 'yaml';
  readonly text: string;
}

/** The blocks of a page in their order, those of a shell as single commands. */
function stepsOf(page: string): Step[] {
  const blocks = (['sh', 'yaml'] as const).flatMap((language) =>
    blocksIn(page, language).map((block) => ({ language, block })),
  );
  return blocks
    .sort((a, b) => lineOf(a.block) - lineOf(b.block))
    .flatMap(({ language, block: { text } }): Step[] => {
      if (language === 'yaml') return [{ language, text }];
      const commands = text.replaceAll(/\\\n\s*/g, '').split('\n');
      return commands.filter((line) => line !== '').map((line) => ({ language, text: line }));
    });
}

interface Running {
  readonly command: string;
  readonly child: ChildProcess;
}

describe('the commands of the docs, typed by a user in a checkout', () => {
  let world: World;
  let dir: string;
  let running: Running[] = [];

  const inHere = (name: string): string => path.join(dir, name);
  const kubeconfig = async (name: string, { kubeconfig: file }: Cluster): Promise<void> => copyFile(file, inHere(name));

  /** What the shell of the user knows: programs, and the cluster in use. */
  function environment(cluster: Cluster): NodeJS.ProcessEnv {
    const tools = [world.tools.kubectl, world.tools.helm].map((file) => path.dirname(file));
    const PATH = [...new Set(tools), process.env['PATH']].join(path.delimiter);
    return { ...process.env, PATH, KUBECONFIG: cluster.kubeconfig, NO_COLOR: '1', FORCE_COLOR: undefined };
  }

  /** One command in a shell that has what those before it exported. */
  function inShell(command: string): string[] {
    return ['-ec', `[ ! -e exported ] || . ./exported; ${command}\nexport -p > exported`];
  }

  function run(command: string, env: NodeJS.ProcessEnv, input = ''): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { cwd: dir, env, timeout: STEP_MS };
      const child = execFile('bash', inShell(command), options, (error, stdout, stderr) => {
        if (error === null) resolve();
        else reject(new Error(`${command}\n${stdout}${stderr}`, { cause: error }));
      });
      child.stdin?.end(input);
    });
  }

  async function start(command: string, env: NodeJS.ProcessEnv, isReady: string): Promise<void> {
    const child = spawn('bash', ['-c', UNTIL_INPUT_ENDS, 'bash', ...inShell(command)], { cwd: dir, env });
    running.push({ command, child });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(
      () => {
        if (child.exitCode !== null) return;
        if (!output.includes(isReady)) throw new Error(`${command}: ${output}`);
      },
      { timeoutMs: STEP_MS, intervalMs: 500 },
    );
    expect({ command, output }).toMatchObject({ output: expect.stringContaining(isReady) });
  }

  /** Ctrl-C: every process of the terminal gets it. */
  async function interrupt({ child }: Running): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.stdin?.end();
    await gone;
  }

  async function interruptAll(): Promise<void> {
    for (const each of running.reverse()) await interrupt(each);
    running = [];
  }

  async function type({ language, text }: Step, env: NodeJS.ProcessEnv): Promise<void> {
    if (language === 'yaml') return run('kubectl apply -f -', env, text);
    if (NOT_RUN.some(([pattern]) => pattern.test(text))) return undefined;
    const ready = ENDLESS.find(([pattern]) => pattern.test(text))?.[1];
    if (ready === undefined) return run(text, env);
    // The demo of the README is that of the quickstart, to which it leads.
    if (running.some(({ command, child }) => command === text && child.exitCode === null)) return undefined;
    // Only one demo at a time: the clusters of the one before are gone then.
    if (text.startsWith('npm start')) await interruptAll();
    await start(text, env, ready);
    return undefined;
  }

  beforeAll(async () => {
    world = await useWorld();
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-docs-'));
    const entries = readdirSync(PACKAGE_ROOT).filter((name) => !LEFT_OUT.includes(name));
    for (const name of entries) await symlink(path.join(PACKAGE_ROOT, name), inHere(name));
  });

  // Each page begins in a new shell.
  afterEach(() => rm(inHere('exported'), { force: true }));

  afterAll(async () => {
    await interruptAll();
    await rm(dir, { recursive: true, force: true });
  }, STEP_MS);

  it(
    'README.md',
    async () => {
      const [, cluster] = world.members as [Cluster, Cluster];
      await kubeconfig('FILE', cluster);
      // The host of the sandbox: `npm start` needs no cluster.
      for (const step of stepsOf('README.md').filter(({ language }) => language === 'sh')) {
        await type(step, environment(cluster));
      }
      await fairlead(cluster, 'uninstall', '--purge', '--yes');
      expect(existsSync(inHere('.fairlead/sandbox'))).toBe(true);
    },
    PAGE_MS,
  );

  it(
    'docs/quickstart.md',
    async () => {
      const [stage, prod] = world.members as [Cluster, Cluster];
      await kubeconfig('host.kubeconfig', world.host);
      await kubeconfig('stage.kubeconfig', stage);
      await kubeconfig('prod.kubeconfig', prod);
      for (const step of stepsOf('docs/quickstart.md')) {
        // What is left of a demo is cleaned up when it has ended.
        if (step.text.includes('--clean')) await interruptAll();
        await type(step, environment(world.host));
      }
      expect(existsSync(inHere('.fairlead/sandbox'))).toBe(false);
      expect(existsSync(inHere('.fairlead/demo'))).toBe(false);
    },
    PAGE_MS,
  );

  it(
    'docs/first-application.md',
    async () => {
      const [member, cluster] = world.members as [Cluster, Cluster];
      await kubeconfig('prod.kubeconfig', member);
      const charts = await podinfo();
      const controller: { stop?: () => Promise<void> } = {};
      try {
        for (const step of stepsOf('docs/first-application.md')) {
          const text = step.text.replace(PODINFO, charts.url);
          await type({ ...step, text }, environment(cluster));
          // The pods of the sandbox run nothing: the controller runs here.
          if (text.includes('fairlead -- install')) controller.stop = (await started(cluster)).stop;
        }
      } finally {
        await controller.stop?.();
        await charts.close();
        await fairlead(cluster, 'uninstall', '--purge', '--yes');
      }
    },
    PAGE_MS,
  );

  function started(cluster: Cluster): ReturnType<typeof startController> {
    const { helm, kustomize } = world.tools;
    return startController({ kubeconfig: cluster.kubeconfig, helm, kustomize, dir });
  }

  /** A chart of this name and version, where the network has another one. */
  async function podinfo(): Promise<{ url: string; close: () => Promise<void> }> {
    const [charts, root] = [inHere('my-charts'), inHere('my-repository')];
    const templates = path.join(charts, 'podinfo', 'templates');
    await mkdir(templates, { recursive: true });
    await writeFile(path.join(charts, 'podinfo', 'Chart.yaml'), 'apiVersion: v2\nname: podinfo\nversion: 6.0.0\n');
    const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: podinfo }\n';
    await writeFile(path.join(templates, 'object.yaml'), `${object}data: { replicas: "{{ .Values.replicaCount }}" }\n`);
    await packageCharts({ helm: world.tools.helm, charts, root, home: dir });
    const { origin, close } = await startHelmRepository(root);
    return { url: `${origin}/charts`, close };
  }
});
