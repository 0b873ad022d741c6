import { describe, expect, it } from '@jest/globals';
import { argocdKubeconfig } from '#controllers/cluster/model/argocd-kubeconfig.js';
import { readKubeconfig } from '#engine/member/kubeconfig.js';

const SERVER = 'https://eu.example.com';

function read(config: unknown, server = SERVER) {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  const encode = (value: string): string => Buffer.from(value).toString('base64');
  const kubeconfig = argocdKubeconfig({ server: encode(server), config: encode(text) });
  return 'problem' in kubeconfig ? kubeconfig.problem : readKubeconfig(kubeconfig.text, { allowInsecure: true });
}

describe('a Secret of Argo CD', () => {
  it.each<[string, unknown, object]>([
    ['with a token', { bearerToken: 'secret' }, { token: 'secret' }],
    ['with a password', { username: 'admin', password: 'secret' }, { username: 'admin', password: 'secret' }],
    ['with another name of the server', { tlsClientConfig: { serverName: 'eu' } }, { tlsServerName: 'eu' }],
    ['without checks of the server', { tlsClientConfig: { insecure: true } }, { insecureSkipTlsVerify: true }],
    ['with a proxy', { proxyUrl: 'http://proxy:3128' }, { proxyUrl: 'http://proxy:3128' }],
  ])('%s has such a kubeconfig', (_title, config, credential) => {
    expect(read(config)).toEqual({ server: SERVER, ...credential });
  });

  it.each<[string, unknown, RegExp]>([
    ['a program', { execProviderConfig: { command: 'aws' } }, /its user sets exec/],
    ['the program of AWS', { awsAuthConfig: { clusterName: 'eu' } }, /its user sets exec/],
    ['a token that is a list', { bearerToken: ['a'] }, /token is not a string/],
  ])('that names %s is refused as any kubeconfig', (_title, config, problem) => {
    expect(() => read(config)).toThrow(problem);
  });

  it.each<[string, string, string]>([
    ['no JSON', 'not { json', 'its config is not a JSON object'],
    ['a list', '[]', 'its config is not a JSON object'],
    ['nothing', '', 'its config is not a JSON object'],
    ['a document', `{"a": "${'x'.repeat(70_000)}"}`, 'its config is longer than 65536 bytes'],
  ])('whose config is %s is not read', (_title, config, problem) => expect(read(config)).toBe(problem));

  it('without any data is not read', () => {
    expect(argocdKubeconfig({})).toEqual({ problem: 'its config is not a JSON object' });
  });
});
