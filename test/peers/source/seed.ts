import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { HeaderData } from 'tar';
import { secretResource, serviceAccountResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { pushCharts } from '#sandbox/registry.js';
import { seedRepository } from '#sandbox/servers/git-repository.js';
import type { World } from '#sandbox/world.js';
import { chartFiles } from '../../apiserver/source/harness.js';
import { FLUX_CONTENT, Pusher, tarLayer } from '../../support/oci.js';
import { tarEntry } from '../../support/tar-entry.js';
import { ROOT as KEYS } from './object-store.js';
import { LOGIN, type Servers } from './servers.js';
import { STRANGER, USER } from './sts.js';

const SIGNATURES = 'test/fixtures/git-signatures';
const TIME = '2026-01-01T00:00:00Z';
const AUTHOR = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
const SECOND_LAYER = `${FLUX_CONTENT}+second`;
const PROD = 'color: green\nlevels: [1, 2]\n';

/** A chart with a second file of values. */
function webChart(version: string): { name: string; version: string; files: Record<string, string> } {
  return { name: 'web', version, files: { 'values-prod.yaml': PROD, 'README.md': 'A chart.\n' } };
}

function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}

/** Runs git in the bare repository. */
function gitIn({ gitRoot }: Servers, repository: string) {
  const dates = { GIT_AUTHOR_DATE: TIME, GIT_COMMITTER_DATE: TIME };
  const env = { ...process.env, ...AUTHOR, ...dates, GIT_DIR: path.join(gitRoot, `${repository}.git`) };
  return (input: Buffer | string, ...args: string[]): string =>
    execFileSync('git', args, { env, input }).toString().trim();
}

async function seedApp(servers: Servers): Promise<void> {
  const { commit } = servers;
  const git = gitIn(servers, 'app');
  const first = await commit('app', {
    'deploy/eu/a.yaml': 'a: 1\n',
    'deploy/us/b.yaml': 'b: 1\n',
    'README.md': 'about\n',
  });
  const second = await commit('app', {
    ...{ 'docs/ü.md': 'umlaut\n', 'docs/a b.md': 'space\n', 'logo.png': 'png', '.github/x.yaml': 'x: 1\n' },
    ...{ 'empty.yaml': '', '.sops.yaml': 'no\n', 'deep/.flux.yaml': 'no\n' },
  });
  servers.note('second', second);
  const script = git('#!/bin/sh\n', 'hash-object', '-w', '--stdin');
  const tree = git(`${git('', 'ls-tree', 'main')}\n100755 blob ${script}\trun.sh\n`, 'mktree');
  const third = git('', 'commit-tree', tree, '-p', second, '-m', 'A program');
  git('', 'update-ref', 'refs/heads/main', third);
  const refs = { 'tags/v1.0.0': first, 'tags/v1.1.0': second, 'tags/v1.2.0-rc.1': third, 'tags/v2.0.0': third };
  const more = { 'tags/v3.0.0+a': first, 'tags/v3.0.0+b': second, 'heads/release/1.x': second, 'pull/1/head': first };
  for (const [name, id] of Object.entries({ ...refs, ...more })) git('', 'update-ref', `refs/${name}`, id);
  git('', 'tag', '--annotate', '--message', 'Noted', 'noted', second);
}

/** A branch with a link, and a tag without it. */
async function seedLinked(servers: Servers): Promise<void> {
  const git = gitIn(servers, 'linked');
  const first = await servers.commit('linked', { 'a.yaml': 'a: 1\n' });
  git('', 'update-ref', 'refs/tags/v1.0.0', first);
  const link = git('a.yaml', 'hash-object', '-w', '--stdin');
  const tree = git(`${git('', 'ls-tree', 'main')}\n120000 blob ${link}\tlink.yaml\n`, 'mktree');
  git('', 'update-ref', 'refs/heads/main', git('', 'commit-tree', tree, '-p', first, '-m', 'A link'));
}

async function seedSigned(servers: Servers): Promise<void> {
  const git = gitIn(servers, 'signed');
  // The tree that is signed.
  await servers.commit('signed', { 'app.yaml': 'a: 1\n' });
  const read = (file: string): Promise<Buffer> => readFile(path.join(SIGNATURES, file));
  const write = async (type: string, file: string): Promise<string> =>
    git(await read(file), 'hash-object', '-t', type, '-w', '--stdin');
  for (const name of ['pgp', 'ed25519']) {
    git('', 'update-ref', `refs/heads/${name}`, await write('commit', `${name}.commit`));
    git('', 'update-ref', `refs/tags/${name}`, await write('tag', `${name}.tag`));
  }
}

async function seedParent(servers: Servers): Promise<void> {
  const child = await servers.commit('child', { 'child.yaml': 'child: 1\n', 'logo.png': 'png' });
  const git = gitIn(servers, 'parent');
  const blob = (text: string): string => git(text, 'hash-object', '-w', '--stdin');
  const url = servers.at.git('child');
  const modules = blob(`[submodule "child"]\n\tpath = lib/child\n\turl = ${url}\n`);
  const lib = git(`160000 commit ${child}\tchild\n`, 'mktree', '--missing');
  const lines = [
    `100644 blob ${modules}\t.gitmodules`,
    `100644 blob ${blob('p: 1\n')}\tparent.yaml`,
    `040000 tree ${lib}\tlib`,
  ];
  const commit = git('', 'commit-tree', git(`${lines.join('\n')}\n`, 'mktree', '--missing'), '-m', 'Parent');
  git('', 'update-ref', 'refs/heads/main', commit);
}

const REPOSITORIES = [
  'app',
  'ignored',
  'moves',
  'sleeps',
  'included',
  'signed',
  'linked',
  'parent',
  'child',
  'charts',
  'chart-moves',
];

async function seedGit(servers: Servers, packed: string): Promise<void> {
  const { commit, gitRoot } = servers;
  await mkdir(gitRoot, { recursive: true });
  for (const name of REPOSITORIES) await seedRepository(gitRoot, name, 'nothing');
  await seedApp(servers);
  await commit('ignored', {
    ...{ '.sourceignore': '*.txt\n/private\n!keep.txt\n', 'docs/.sourceignore': 'draft*\n' },
    ...{ 'a.txt': 'a', 'keep.txt': 'k', 'private/b.yaml': 'b: 1\n', 'app/c.yaml': 'c: 1\n', 'docs/draft.md': 'd' },
    ...{ 'docs/final.md': 'f', 'logo.png': 'png', 'app/deep/private/e.yaml': 'e: 1\n' },
  });
  const old = await commit('moves', { 'a.yaml': 'a: 1\n' });
  gitIn(servers, 'moves')('', 'update-ref', 'refs/tags/old', old);
  await commit('sleeps', { 'a.yaml': 'a: 1\n' });
  await commit('included', { 'in/b.yaml': 'b: 1\n' });
  await seedSigned(servers);
  await seedLinked(servers);
  await seedParent(servers);
  await seedCharts(servers, packed);
}

async function seedCharts({ commit }: Servers, packed: string): Promise<void> {
  const parent =
    'apiVersion: v2\nname: parent\nversion: 1.0.0\ndependencies: [{name: child, version: 1.0.0, repository: "file://../child"}]\n';
  await commit('charts', {
    ...below('charts/web', chartFiles('web', '1.0.0')),
    'environments/prod.yaml': PROD,
    ...below('charts/ignores', {
      ...chartFiles('ignores', '1.0.0'),
      '.helmignore': '*.md\n',
      'notes.md': 'n',
      'a.txt': 'a',
    }),
    ...below('charts/parent', { ...chartFiles('parent', '1.0.0'), 'Chart.yaml': parent }),
    ...below('charts/child', chartFiles('child', '1.0.0')),
    'charts/broken/Chart.yaml': 'name: broken\n',
  });
  await commit('chart-moves', below('charts/web', chartFiles('web', '1.0.0')));
  await commit('charts', { 'packed/web-1.0.0.tgz': await readFile(packed) });
}

const VERSIONS = ['0.9.0', '1.0.0', '1.1.0', '2.0.0-rc.1', '3.0.0+a', '3.0.0+b'];

async function seedRegistry(servers: Servers, world: World, archives: readonly string[], home: string): Promise<void> {
  const { push, note, at } = servers;
  await pushCharts({ helm: world.tools.helm, registry: at.registry, archives, home });
  for (const tag of ['1.0.0', '1.1.0', '1.2.0-rc.1', '2.0.0', '2.1', 'latest']) {
    note(tag, await push('app', tag, { 'app/a.yaml': `tag: ${tag}\n`, 'README.md': 'about\n', 'logo.png': 'png' }));
  }
  await push('ignored', 'latest', { '.sourceignore': '*.txt\n', 'a.txt': 'a', 'b.yaml': 'b: 1\n' });
  await push('moves', 'latest', { 'a.yaml': 'a: 1\n' });
  note('second layer', SECOND_LAYER);
  const layers = new Pusher(`http://${at.registry}`, 'peers/layers');
  const second = { ...(await tarLayer({ 'second.yaml': 's: 1\n' })), mediaType: SECOND_LAYER };
  const bytes = { mediaType: 'application/vnd.example.bytes', data: Buffer.from('as it is') };
  const annotations = { 'org.opencontainers.image.revision': 'main@sha1:1234' };
  await layers.image('latest', [await tarLayer({ 'first.yaml': 'f: 1\n' }), second, bytes], annotations);
}

const ODD: Readonly<Record<string, HeaderData>> = {
  'symbolic-link': { path: 'link.yaml', type: 'SymbolicLink', linkpath: 'a.yaml' },
  'hard-link': { path: 'link.yaml', type: 'Link', linkpath: 'a.yaml' },
  device: { path: 'null', type: 'CharacterDevice', devmaj: 1, devmin: 3 },
  pipe: { path: 'pipe', type: 'FIFO' },
};

/** A layer with a file and something that is none, for each that there is. */
async function seedOdd({ at }: Servers): Promise<void> {
  const file = tarEntry({ path: 'a.yaml', type: 'File' }, Buffer.from('a: 1\n'));
  for (const [name, fields] of Object.entries(ODD)) {
    const data = gzipSync(Buffer.concat([file, tarEntry(fields), Buffer.alloc(1024)]));
    await new Pusher(`http://${at.registry}`, `peers/${name}`).image('latest', [{ mediaType: FLUX_CONTENT, data }]);
  }
}

async function seedObjects({ objects, sts }: Servers): Promise<void> {
  for (const name of ['app', 'ignored', 'empty', 'moves', 'charts']) await objects.createBucket(name);
  await objects.put('app', {
    ...{
      'app/a.yaml': 'a: 1\n',
      'app/drop.txt': 'd',
      'app/keep.txt': 'k',
      'logo.png': 'png',
      '.github/x.yaml': 'x: 1\n',
    },
    ...{ 'b c+d/ü.yaml': 'u: 1\n', 'empty.yaml': '' },
  });
  await objects.put('ignored', {
    '.sourceignore': '*.txt\n!keep.txt\n',
    'a.txt': 'a',
    'keep.txt': 'k',
    'b/c.txt': 'c',
    'd.yaml': 'd',
  });
  await objects.put('moves', { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' });
  await sts.createBucket('app');
  await sts.put('app', { 'app/a.yaml': 'a: 1\n', 'b c+d/ü.yaml': 'u: 1\n' });
  await objects.put('charts', { ...below('charts/web', chartFiles('web', '1.0.0')), 'environments/prod.yaml': PROD });
}

/** Fills the servers. */
export async function seed(servers: Servers, world: World, dir: string): Promise<void> {
  const archives = await servers.publish('charts', ...VERSIONS.map(webChart));
  await servers.publish('moving', { name: 'moving', version: '1.0.0' });
  await seedGit(servers, archives.find((file) => file.endsWith('/web-1.0.0.tgz')) ?? '');
  await seedRegistry(servers, world, archives, dir);
  await seedOdd(servers);
  await seedObjects(servers);
}

function dockerConfig(host: string, password: string): Record<string, string> {
  return { '.dockerconfigjson': JSON.stringify({ auths: { [host]: { ...LOGIN, password } } }) };
}

function sshSecrets({ ssh: { key, stranger, knownHosts } }: Servers): Record<string, Record<string, string>> {
  const otherHost = knownHosts.replace(/ssh-ed25519 .*/, stranger.publicKey);
  return {
    ssh: { identity: key.privateKey, known_hosts: knownHosts },
    'ssh-stranger': { identity: stranger.privateKey, known_hosts: knownHosts },
    'ssh-other-host': { identity: key.privateKey, known_hosts: otherHost },
    'ssh-no-hosts': { identity: key.privateKey },
  };
}

/** The Secrets and ServiceAccounts that cases name. */
export async function createSecrets(kube: Kube, namespace: string, servers: Servers): Promise<void> {
  const { at, ca, proxy } = servers;
  const key = async (file: string) => ({ [file]: await readFile(path.join(SIGNATURES, file), 'utf8') });
  const secrets: Readonly<Record<string, Record<string, string>>> = {
    ...sshSecrets(servers),
    login: LOGIN,
    'wrong-login': { ...LOGIN, password: 'guessed' },
    keys: KEYS,
    'wrong-keys': { ...KEYS, secretkey: 'guessed' },
    user: USER,
    stranger: STRANGER,
    'wrong-user': { ...USER, password: 'guessed' },
    docker: dockerConfig(at.guardedRegistry, LOGIN.password),
    'wrong-docker': dockerConfig(at.guardedRegistry, 'guessed'),
    ca: { 'ca.crt': ca },
    proxy: { address: proxy },
    pgp: await key('pgp.asc'),
    'ssh-signer': await key('ed25519.sshpub'),
    'other-ssh-signer': await key('stranger.sshpub'),
  };
  for (const [name, stringData] of Object.entries(secrets)) {
    const type = '.dockerconfigjson' in stringData ? 'kubernetes.io/dockerconfigjson' : 'Opaque';
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, stringData };
    await kube.create(secretResource, object);
  }
  const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'puller', namespace } };
  await kube.create(serviceAccountResource, { ...account, imagePullSecrets: [{ name: 'docker' }] } as KubeObject);
}
