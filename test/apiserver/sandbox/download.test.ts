import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import * as tar from 'tar';
import { listen } from '#runtime/process/listen.js';
import { runCommand } from '#sandbox/command.js';
import { stopWorldIn } from '#sandbox/daemon-world.js';
import { ensureTools, WORLD_TOOLS } from '#sandbox/tools.js';
import { readModule } from '#sandbox/tools/cache.js';
import { releaseOf } from '#sandbox/tools/releases.js';
import { TOOLS, type WorldTool } from '#sandbox/tools/table.js';
import { selfSignedCertificate } from '../../support/certificate.js';

const START_MS = 600_000;
const MAIN = path.resolve('dist/cli/main.js');

let mirror: string;
let folder: string;
let dir: string;
let origin: string;
let close: () => Promise<void>;

/** Lays the program out as its project releases it, with the checksum that it publishes. */
async function release(tool: WorldTool, program: string): Promise<void> {
  const { goMod } = await readModule(TOOLS[tool].module, mirror);
  const released = releaseOf(tool, goMod, { os: 'linux', arch: process.arch === 'arm64' ? 'arm64' : 'amd64' });
  if (released === undefined) throw new Error(`${tool} is not released`);
  const file = path.join(mirror, released.file);
  await mkdir(path.dirname(file), { recursive: true });
  if (released.member === undefined) await copyFile(program, file);
  else await pack(program, released.member, file);
  const hash = createHash('sha256').update(await readFile(file));
  const [name, digest] = [path.basename(released.file), hash.digest('hex')];
  const isJson = released.checksums.startsWith('api.github.com/');
  const checksums = path.join(mirror, released.checksums);
  await mkdir(path.dirname(checksums), { recursive: true });
  const assets = [{ name, digest: `sha256:${digest}` }];
  await writeFile(checksums, isJson ? JSON.stringify({ assets }) : `${digest}  ${name}\n`);
}

async function pack(program: string, member: string, file: string): Promise<void> {
  const content = await mkdtemp(path.join(mirror, 'content-'));
  await mkdir(path.dirname(path.join(content, member)), { recursive: true });
  await copyFile(program, path.join(content, member));
  await tar.create({ gzip: { level: 1 }, cwd: content, file }, [member]);
  await rm(content, { recursive: true });
}

const serve: RequestListener = (request, response) => {
  // Paths of releases have escapes, which are part of the names in the mirror.
  const file = path.join(mirror, path.normalize(request.url ?? '/'));
  stat(file)
    .then(() => pipeline(createReadStream(file), response))
    .catch(() => response.writeHead(404).end());
};

beforeAll(async () => {
  mirror = await mkdtemp(path.join(tmpdir(), 'fairlead-mirror-'));
  const tools = await ensureTools(WORLD_TOOLS);
  for (const tool of WORLD_TOOLS) await release(tool, tools[tool]);
  const certificate = selfSignedCertificate('localhost', 'mirror');
  await writeFile(path.join(mirror, 'ca.crt'), certificate.cert);
  const server = await listen(createServer(certificate, serve), { host: '127.0.0.1' });
  origin = `https://localhost:${server.address.port}`;
  close = server.close;
}, START_MS);

afterAll(async () => {
  await close();
  await rm(mirror, { recursive: true });
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-download-'));
  dir = path.join(folder, 'sandbox');
});

afterEach(async () => {
  await stopWorldIn(dir);
  await rm(folder, { recursive: true, force: true });
});

/** A machine that has git and no Go. */
function environment(certificates: string): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', HOME: folder, XDG_CACHE_HOME: folder, NODE_EXTRA_CA_CERTS: certificates };
}

function up(certificates: string): Promise<string> {
  const args = [MAIN, 'sandbox', 'up', '--members', '0', '--detach', '--dir', dir, '--download', origin];
  return runCommand(process.execPath, args, { env: environment(certificates) });
}

test(
  'a sandbox starts on a machine without Go, on programs that were downloaded over HTTPS',
  async () => {
    const output = await up(path.join(mirror, 'ca.crt'));
    for (const tool of WORLD_TOOLS) expect(output).toContain(`downloaded ${tool} from ${origin}/`);
    expect(output).not.toContain('building');
    const kubeconfig = path.join(dir, 'host.kubeconfig');
    const cached = await readdir(path.join(folder, 'fairlead', 'tools'), { recursive: true });
    const kubectl = cached.find((file) => path.basename(file) === 'kubectl') ?? 'none';
    const nodes = ['--kubeconfig', kubeconfig, 'get', 'nodes', '--output', 'name'];
    expect(await runCommand(path.join(folder, 'fairlead', 'tools', kubectl), nodes)).toBe('node/host-node\n');
  },
  START_MS,
);

test(
  'a server that nobody vouches for is not trusted',
  async () => {
    await expect(up('/dev/null')).rejects.toThrow(
      /cannot download kustomize from https:\/\/localhost:\d+\/\S+: DEPTH_ZERO_SELF_SIGNED_CERT\. Repeat the command/,
    );
    expect(await readdir(path.join(folder, 'fairlead', 'tools'))).toEqual([]);
  },
  START_MS,
);
