import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { credentialOf } from '#runtime/client/context-credential.js';
import { readContext } from '#runtime/client/kubeconfig.js';

const BEFORE = { kubeconfig: process.env['KUBECONFIG'], home: process.env['HOME'] };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function kubeconfig(name: string, { cluster = {}, user = {} }: { cluster?: object; user?: object }): object {
  return {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': name },
    clusters: [{ name, cluster: { server: `https://${name}.example/`, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `ns-of-${name}` } }],
  };
}

describe('the context of a kubeconfig', () => {
  let dir: string;

  const inDir = (name: string): string => path.join(dir, name);
  const write = async (name: string, content: object): Promise<string> => {
    await writeFile(inDir(name), JSON.stringify(content));
    return inDir(name);
  };

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-kubeconfig-'));
    for (const name of ['ca.crt', 'tls.crt', 'tls.key']) await writeFile(inDir(name), `content of ${name}`);
    await writeFile(inDir('token'), 'of-the-file\n');
    await writeFile(inDir('plugin'), `#!/bin/sh\necho '{"status":{"token":"of-the-plugin"}}'\n`);
    await chmod(inDir('plugin'), 0o700);
  });

  afterEach(() => {
    process.env['HOME'] = BEFORE.home;
    if (BEFORE.kubeconfig === undefined) delete process.env['KUBECONFIG'];
    else process.env['KUBECONFIG'] = BEFORE.kubeconfig;
  });

  afterAll(() => rm(dir, { recursive: true }));

  it.each([
    ['a token', {}, { token: 'secret' }],
    ['a name and a password', {}, { username: 'me', password: 'secret' }],
    [
      'certificates as data',
      certificateData(),
      { 'client-certificate-data': base64('c'), 'client-key-data': base64('k') },
    ],
    [
      'certificates in files',
      { 'certificate-authority': 'ca.crt' },
      { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' },
    ],
    ['somebody to act as', {}, { token: 'secret', as: 'somebody' }],
    ['no verification', { 'insecure-skip-tls-verify': true }, { token: 'secret' }],
    ['another name of the server', { 'tls-server-name': 'other.example' }, { token: 'secret' }],
    ['nothing at all', {}, {}],
  ])('shows %s as the client library does', async (_, cluster, user) => {
    const file = await write('same', kubeconfig('same', { cluster, user }));
    const library = new KubeConfig();
    library.loadFromFile(file);
    const options: RequestOptions = {};
    await library.applyToHTTPSOptions(options);
    const { ca, cert, key, rejectUnauthorized, auth, headers } = options;
    const authorization = auth ? { Authorization: `Basic ${base64(auth)}` } : {};
    // As JSON: what is undefined is absent.
    const expected = {
      headers: { ...(headers as object), ...authorization },
      tls: { ca, cert, key, rejectUnauthorized },
    };
    const { servername, ...tls } = (await credentialOf(await readContext({ path: file }))).tls;
    const { headers: shown } = await credentialOf(await readContext({ path: file }));
    expect(JSON.parse(JSON.stringify({ headers: shown, tls }))).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(servername).toBe((cluster as Record<string, unknown>)['tls-server-name']);
    expect((await readContext({ path: file })).cluster?.server).toBe('https://same.example');
  });

  function certificateData(): object {
    return { 'certificate-authority-data': base64('a') };
  }

  it.each([
    ['the token of a file, without its line break', { tokenFile: 'token', token: 'older' }, 'Bearer of-the-file'],
    ['the token of a plugin', { exec: { command: '/bin/sh', args: ['-c', '"$0"', 'PLUGIN'] } }, 'Bearer of-the-plugin'],
  ])('shows %s', async (_, user, authorization) => {
    const text = JSON.stringify(kubeconfig('own', { user })).replace('PLUGIN', inDir('plugin'));
    await writeFile(inDir('own'), text);
    expect((await credentialOf(await readContext({ path: inDir('own') }))).headers).toEqual({
      Authorization: authorization,
    });
  });

  it('prefers data to files, as kubectl does', async () => {
    const user = { 'client-certificate-data': base64('data'), 'client-certificate': 'tls.crt' };
    const file = await write('both', kubeconfig('both', { user }));
    expect((await credentialOf(await readContext({ path: file }))).tls.cert?.toString()).toBe('data');
  });

  it('is the chosen one, else that of the first file that names one; the first cluster of a name wins', async () => {
    const first = { ...kubeconfig('same', { cluster: { server: 'https://first.example' } }), 'current-context': '' };
    const files = [
      await write('1', first),
      await write('2', kubeconfig('same', {})),
      await write('3', kubeconfig('c', {})),
    ];
    process.env['KUBECONFIG'] = files.join(path.delimiter);
    expect(await readContext({})).toMatchObject({ name: 'same', namespace: 'ns-of-same' });
    expect((await readContext({})).cluster?.server).toBe('https://first.example');
    expect((await readContext({ context: 'c' })).cluster?.server).toBe('https://c.example');
    expect(await readContext({ context: 'none' })).toMatchObject({ name: 'none', cluster: undefined, user: undefined });
  });

  it('is that of the files which exist, and an error names the first one when none does', async () => {
    process.env['KUBECONFIG'] = [inDir('missing'), await write('there', kubeconfig('there', {}))].join(path.delimiter);
    expect((await readContext({})).name).toBe('there');
    process.env['KUBECONFIG'] = inDir('missing');
    await expect(readContext({})).rejects.toThrow(/^cannot read kubeconfig \S+\/missing: .*ENOENT/);
  });

  it.each([
    [
      'is not YAML',
      'a: [secret',
      /^\S+ is not a kubeconfig: it is not valid YAML; choose another file with --kubeconfig$/,
    ],
    ['has a cluster without a server', JSON.stringify({ clusters: [{ name: 'c', cluster: {} }] }), /server is missing/],
  ])('is rejected when the file %s', async (_, text, says) => {
    await writeFile(inDir('wrong'), text);
    await expect(readContext({ path: inDir('wrong') })).rejects.toThrow(says);
    await expect(readContext({ path: inDir('wrong') })).rejects.not.toThrow(/secret/);
  });
});
