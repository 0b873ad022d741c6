import { describe, expect, it } from '@jest/globals';
import { grantedBy } from '#api/v1alpha1/cluster-grant.js';

const LABEL = { 'gitops.kubesphere.io/cluster-credential': 'true' };

function said(grant: string, account: string, labels: Record<string, string> = LABEL): string | undefined {
  const annotations = {
    'gitops.kubesphere.io/cluster-grant': grant,
    'gitops.kubesphere.io/credential-account': account,
  };
  return grantedBy({ metadata: { name: 'cluster-eu-a', labels, annotations } });
}

describe('what gave a kubeconfig', () => {
  it.each<[string, string | undefined, string | undefined]>([
    [
      'a token of a ServiceAccount',
      said('edge', 'tenants/deployer'),
      'ClusterGrant edge as ServiceAccount tenants/deployer',
    ],
    [
      'the credential of the inventory',
      said('edge', 'SharedCredential'),
      "ClusterGrant edge with the inventory's own credential",
    ],
    ['no grant', said('', 'SharedCredential'), undefined],
    ['nobody knows', said('edge', ''), undefined],
    ['a Secret of somebody else', said('edge', 'SharedCredential', {}), undefined],
    ['words that somebody wrote there', said('edge. Call 0800-1234', 'a/b'), undefined],
    ['control characters', said('edge', 'a/b\u001b[2J'), undefined],
    ['a megabyte', said('e'.repeat(1_000_000), 'a/b'), undefined],
  ])('is %s', (_, found, expected) => expect(found).toBe(expected));
});
