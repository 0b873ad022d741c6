import { expect, it } from '@jest/globals';
import { printKubeconfig } from '#controllers/cluster/credential/issue.js';
import { readKubeconfig } from '#engine/member/kubeconfig.js';
import type { ClusterCredential } from '#runtime/client/credentials.js';

it.each<[string, ClusterCredential]>([
  ['a token', { server: 'https://eu', token: 'a.b-c_d' }],
  [
    'a user and a password that YAML would read otherwise',
    { server: 'https://eu', username: 'on', password: '0x1F: #' },
  ],
  [
    'a proxy, and a server of another name',
    { server: 'https://eu', token: 't', tlsServerName: 'x', proxyUrl: 'http://p' },
  ],
  ['no checks', { server: 'https://eu', token: 't', insecureSkipTlsVerify: true }],
])('what is printed reads as it was: %s', (_title, credential) => {
  expect(readKubeconfig(printKubeconfig(credential), { allowInsecure: true })).toEqual(credential);
});
