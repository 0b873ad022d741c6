import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { kubeconfigText, newTokens, tokenFile } from '#sandbox/world/credentials.js';

test('every user has a token of its own and is an administrator', () => {
  const tokens = newTokens();
  const lines = tokenFile(tokens).trimEnd().split('\n');
  expect(lines).toContain(`${tokens.kwok},kwok,kwok,system:masters`);
  expect(new Set(Object.values(tokens)).size).toBe(lines.length);
});

test('a kubeconfig holds everything inline, under names that no other cluster uses', () => {
  const input = { cluster: 'member-1', server: 'https://127.0.0.1:1', ca: 'PEM', user: 'sandbox-admin', token: 't' };
  expect(parse(kubeconfigText(input))).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'member-1',
        cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': Buffer.from('PEM').toString('base64') },
      },
    ],
    users: [{ name: 'member-1:sandbox-admin', user: { token: 't' } }],
    contexts: [{ name: 'member-1', context: { cluster: 'member-1', user: 'member-1:sandbox-admin' } }],
    'current-context': 'member-1',
  });
});
