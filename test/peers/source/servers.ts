import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { listen } from '#runtime/process/listen.js';
import { startGitServer } from '#sandbox/git-server.js';
import { packageCharts, startHelmRepository } from '#sandbox/helm-repository.js';
import { commitFiles } from '#sandbox/servers/git-repository.js';
import type { World } from '#sandbox/world.js';
import { forward } from '#bench/scenarios/counting-proxy.js';
import { Pusher, tarLayer } from '../../support/oci.js';
import { createRegistryFolder } from '../../support/registry.js';
import { startSshServer, type SshKey } from '../../support/ssh-server.js';
import { chartFiles } from '../../apiserver/source/harness.js';
import type { Addresses } from './case.js';
import { startObjectStore, type ObjectStoreServer } from './object-store.js';
import { startSts, type StsServer } from './sts.js';

export const LOGIN = { username: 'robot', password: 'secret' };
/** bcrypt of it. */
const HTPASSWD = 'robot:$2a$04$LGEM4meqtqtXKMirvRW9WeekybXgKo8eeo6qkDjtZffpt0XFW9TX6\n';
const EXPECTED = `Basic ${Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64')}`;

type Files = Readonly<Record<string, string>>;

interface Chart {
  readonly name: string;
  readonly version: string;
  readonly files?: Files;
}

/** What both engines fetch from: the real git, the real helm's index, the real registry, a real object store. */
export interface Servers {
  readonly at: Addresses;
  readonly ca: string;
  /** `http://HOST:PORT`. */
  readonly proxy: string;
  readonly ssh: SshAccess;
  /** Folder of the bare repositories. */
  readonly gitRoot: string;
  /** Notes an id under a name. */
  readonly note: (name: string, id: string) => void;
  readonly commit: (repository: string, files: Readonly<Record<string, string | Buffer | null>>) => Promise<string>;
  /** Packages charts into the repository of this name, and indexes it again. */
  readonly publish: (repository: string, ...charts: readonly Chart[]) => Promise<string[]>;
  readonly push: (repository: string, tag: string, files: Files) => Promise<string>;
  readonly objects: ObjectStoreServer;
  readonly sts: StsServer;
  readonly close: () => Promise<void>;
}

/** What a Secret for SSH is made of. */
interface SshAccess {
  readonly knownHosts: string;
  /** Lets in. */
  readonly key: SshKey;
  readonly stranger: SshKey;
}

/** Ended in the opposite order. */
export type Ending = () => Promise<unknown>;

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Of a CA of its own, for names that Go and Node accept. */
export async function certificateIn(folder: string): Promise<Certificate> {
  await mkdir(folder, { recursive: true });
  const [cert, key] = ['tls.crt', 'tls.key'].map((name) => path.join(folder, name));
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=localhost', '-addext', names];
  const files = ['-keyout', key ?? '', '-out', cert ?? ''];
  execFileSync('openssl', ['req', ...kind, ...subject, ...files], { stdio: 'ignore' });
  return { cert: await readFile(cert ?? '', 'utf8'), key: await readFile(key ?? '', 'utf8') };
}

/** In front of a server: lets only those with the login through. */
async function startGuard(origin: string, endings: Ending[]): Promise<string> {
  const server = createServer((incoming, response) => {
    if (incoming.headers.authorization === EXPECTED) forward(new URL(incoming.url ?? '/', origin), incoming, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="peers"' }).end();
  });
  const { address, close } = await listen(server);
  endings.push(close);
  return `http://127.0.0.1:${address.port}`;
}

function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  one.on('error', () => other.destroy());
  other.on('error', () => one.destroy());
}

/** In front of a server: adds TLS, and changes nothing else. Returns `HOST:PORT`. */
export async function startTls(hostAndPort: string, tls: Certificate, endings: Ending[]): Promise<string> {
  const port = Number(hostAndPort.split(':').at(-1));
  const open = new Set<Socket>();
  const server = createTlsServer(tls, (socket) => {
    open.add(socket.once('close', () => open.delete(socket)));
    join(socket, connect(port, '127.0.0.1'));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    server.close();
    for (const socket of open) socket.destroy();
    return Promise.resolve();
  });
  // It listens on TCP.
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function tunnel({ url = '' }: IncomingMessage, socket: Socket): void {
  const [host, port] = url.split(':');
  const target = connect(Number(port), host, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    join(target, socket);
  });
}

export async function startProxy(endings: Ending[]): Promise<string> {
  const server = createServer((incoming, response) => forward(new URL(incoming.url ?? ''), incoming, response));
  const { address, close } = await listen(server.on('connect', tunnel));
  endings.push(close);
  return `http://127.0.0.1:${address.port}`;
}

/** Two registries over the same content: open, and with a login. */
async function startRegistries(world: World, endings: Ending[]): Promise<{ open: string; login: string }> {
  const folder = await createRegistryFolder(world.tools.registry);
  endings.push(() => folder.remove());
  const open = await folder.start(() => ({}));
  endings.push(() => open.stop());
  const login = await folder.start((own) => ({
    files: { htpasswd: HTPASSWD },
    auth: { htpasswd: { realm: 'peers', path: path.join(own, 'htpasswd') } },
  }));
  endings.push(() => login.stop());
  return { open: open.host, login: login.host };
}

async function startSsh(root: string, endings: Ending[]): Promise<SshAccess & { readonly origin: string }> {
  const server = await startSshServer(root);
  endings.push(() => server.close());
  const key = await server.makeKey('key', '-t', 'ed25519');
  const stranger = await server.makeKey('stranger', '-t', 'ed25519');
  await server.letIn(key);
  return { origin: server.origin, knownHosts: server.knownHosts, key, stranger };
}

async function writeCharts(folder: string, charts: readonly Chart[]): Promise<void> {
  for (const { name, version, files } of charts) {
    for (const [file, content] of Object.entries({ ...chartFiles(name, version), ...files })) {
      const target = path.join(folder, `${name}-${version}`, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
    }
  }
}

async function startIn(world: World, dir: string, endings: Ending[]): Promise<Omit<Servers, 'close'>> {
  const [gitRoot, helmRoot] = [path.join(dir, 'git'), path.join(dir, 'helm')];
  const tls = await certificateIn(path.join(dir, 'tls'));
  const git = await startGitServer(gitRoot);
  const helm = await startHelmRepository(path.join(helmRoot, 'charts'));
  const moving = await startHelmRepository(path.join(helmRoot, 'moving'));
  endings.push(git.close, helm.close, moving.close);
  const ssh = await startSsh(gitRoot, endings);
  const registries = await startRegistries(world, endings);
  const objects = await startObjectStore();
  endings.push(() => objects.stop());
  const sts = await startSts();
  endings.push(() => sts.stop());
  const withTls = (place: string): Promise<string> => startTls(place, tls, endings);
  const guard = (origin: string): Promise<string> => startGuard(origin, endings);
  const ids = new Map<string, string>();
  const gitAt =
    (origin: string) =>
    (repository: string): string =>
      `${origin}/${repository}.git`;
  let folders = 0;
  return {
    ...{ gitRoot, objects, sts, ssh, ca: tls.cert, proxy: await startProxy(endings) },
    at: {
      git: gitAt(git.origin),
      guardedGit: gitAt(await guard(git.origin)),
      secureGit: gitAt(`https://${await withTls(git.origin)}`),
      sshGit: gitAt(ssh.origin),
      helm: `${helm.origin}/charts`,
      movingHelm: `${moving.origin}/charts`,
      guardedHelm: `${await guard(helm.origin)}/charts`,
      secureHelm: `https://${await withTls(helm.origin)}/charts`,
      untrustedHelm: `https://${await withTls(helm.origin)}/charts`,
      registry: registries.open,
      guardedRegistry: registries.login,
      secureRegistry: await withTls(registries.open),
      objects: objects.endpoint,
      secureObjects: await withTls(objects.endpoint),
      ...{ sts: sts.endpoint, secureSts: await withTls(sts.endpoint) },
      region: objects.region,
      ids: (name) => ids.get(name) ?? name,
    },
    note: (name, id) => void ids.set(name, id),
    commit: (repository, files) => commitFiles(gitRoot, repository, { files, message: 'Change' }),
    async publish(repository, ...charts) {
      const folder = path.join(dir, `charts-${(folders += 1)}`);
      await writeCharts(folder, charts);
      const root = path.join(helmRoot, repository);
      return packageCharts({ helm: world.tools.helm, charts: folder, root, home: dir });
    },
    async push(repository, tag, files) {
      return new Pusher(`http://${registries.open}`, `peers/${repository}`).image(tag, [await tarLayer(files)]);
    },
  };
}

export async function startServers(world: World, dir: string): Promise<Servers> {
  const endings: Ending[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startIn(world, dir, endings)), close };
  } catch (error: unknown) {
    await close();
    throw error;
  }
}
