import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GenericContainer, Wait, type StartedTestContainer } from 'testcontainers';
import { parse } from 'yaml';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { prepareProject } from '#sandbox/project.js';
import { fairlead, helm, kubectl } from '#bench/scenarios/shell.js';
import { applySample, untilReady, type Observed } from '#bench/scenarios/setup.js';
import { startWorld, type World } from '#sandbox/world.js';
import { writeKubeconfig } from '#sandbox/world/credentials.js';
import { freePort, LOOPBACK } from '#sandbox/world/ports.js';
import { makeBaseImages } from './base-images.js';
import { describeWithDocker, dockerApi, LABELS, nameOfRun } from './engine.js';
import { buildProjectImage } from './project-image.js';

const IMAGE = nameOfRun('controller');
const NAME = 'helm-release';
const USER = 65532;
const CONFIG = '/etc/fairlead.kubeconfig';

/** As config/manager runs it: nothing of the image can be changed, and nobody in it is root. */
class LockedContainer extends GenericContainer {
  constructor(image: string) {
    super(image);
    this.hostConfig.ReadonlyRootfs = true;
    const own = `uid=${USER},gid=${USER},mode=0700`;
    this.withTmpFs({ '/data': own, '/tmp': own }).withDroppedCapabilities('ALL').withSecurityOpt('no-new-privileges');
  }
}

/** The controller's own service account, as `fairlead install` made it, with no right more than it has in a pod. */
async function serviceAccountConfig(world: World): Promise<string> {
  const token = await kubectl(world, world.host, '-n', 'fairlead-system', 'create', 'token', 'fairlead-controller');
  const admin = parse(await readFile(world.host.kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { 'certificate-authority-data': string } }];
  };
  const ca = Buffer.from(admin.clusters[0].cluster['certificate-authority-data'], 'base64').toString();
  const file = path.join(world.dir, 'controller.kubeconfig');
  await writeKubeconfig(file, {
    cluster: 'host',
    server: world.host.server,
    ca,
    user: 'sandbox-admin',
    token: token.trim(),
  });
  // Somebody else than its owner reads it in the container.
  await chmod(file, 0o644);
  return file;
}

describeWithDocker('the image of the project', () => {
  let world: World;
  let container: StartedTestContainer;
  let observed: Observed;
  /** Undoes what was set up, the last first. */
  const undo: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    await buildProjectImage(IMAGE, await makeBaseImages());
    world = await startWorld({ dir: await mkdtemp(path.join(tmpdir(), 'fairlead-image-world-')), members: 0 });
    undo.push(world.stop);
    await fairlead(world.host, 'install', '--image', IMAGE);
    const kube = await kubeFromFile({ path: world.host.kubeconfig });
    await prepareProject(world, kube);
    await kube.close();
    container = await new LockedContainer(IMAGE)
      .withLabels({ ...LABELS })
      // Everything of the sandbox listens on this machine's loopback.
      .withNetworkMode('host')
      .withBindMounts([{ source: await serviceAccountConfig(world), target: CONFIG, mode: 'ro' }])
      .withCommand([
        `--kubeconfig=${CONFIG}`,
        '--storage-path=/data',
        `--storage-addr=${LOOPBACK}:${await freePort()}`,
        `--health-addr=${LOOPBACK}:0`,
      ])
      .withWaitStrategy(Wait.forLogMessage(/"msg":/))
      .start();
    undo.push(() => container.stop({ timeout: 1_000 }));
    observed = { world, controller: { log: logOf } };
  });

  afterAll(async () => {
    const failed: unknown[] = [];
    for (const step of undo.reverse()) await step().catch((error: unknown) => failed.push(error));
    expect(failed).toEqual([]);
  });

  async function logOf(): Promise<string> {
    const engine = (await dockerApi()).getContainer(container.getId());
    return (await engine.logs({ stdout: true, stderr: true, tail: 100 })).toString();
  }

  /** What a program of Node's prints inside the container. */
  async function inside(program: string): Promise<string> {
    const { output } = await container.exec(['node', '-e', program]);
    return output.trim();
  }

  it('runs as nobody in particular and can change nothing but its storage', async () => {
    expect(await inside('console.log(process.getuid(), process.getgid())')).toBe(`${USER} ${USER}`);
    expect(await inside('fs.writeFileSync("/app/package.json", "")')).toMatch(/EROFS|EACCES/);
    expect(await inside('fs.writeFileSync("/data/probe", ""); fs.rmSync("/data/probe"); console.log("kept")')).toBe(
      'kept',
    );
  });

  it('brings an Application from git to Ready, with the rights of its own service account', async () => {
    await applySample(world, '01-helm-release');
    const { status } = await untilReady(observed, NAME);
    expect(status?.summary).toMatchObject({ desired: 1, ready: '1/1' });
    const list = JSON.parse(await helm(world, world.host, 'ls', '-n', 'app', '-o', 'json')) as object[];
    expect(list).toEqual([expect.objectContaining({ name: NAME, status: 'deployed' })]);
  });

  it('carries the product, without benches and tests', async () => {
    const built = 'console.log(fs.readdirSync("/app/dist").filter((name) => !name.startsWith(".")).join(" "))';
    expect(await inside(built)).toBe('api cli config console controllers engine lib manager queries runtime sandbox');
    expect(await inside('console.log(fs.existsSync("/app/bench"), fs.existsSync("/app/test"))')).toBe('false false');
  });

  it('brings the helm and the kustomize that tools/ names', async () => {
    const version = (program: string): string =>
      `console.log(require("child_process").execFileSync(${JSON.stringify(program)}, ["version"]).toString())`;
    expect(await inside(version('helm'))).toContain('v4.');
    expect(await inside(version('kustomize'))).not.toBe('');
  });

  it('ends in order when it is told to', async () => {
    const docker = await dockerApi();
    const engine = docker.getContainer(container.getId());
    await engine.stop({ t: 30 });
    const { State } = await engine.inspect();
    expect(State.ExitCode).toBe(0);
  });
});
