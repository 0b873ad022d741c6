import { ARGOCD_SECRET_SELECTOR, ARGOCD_SKIP_RECONCILE_ANNOTATION } from '#api/cluster/kinds.js';
import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { defined } from '#lib/plain.js';
import type { CredentialSource, Adapter } from '../cluster.js';
import { clusterOfObject, textAt, withReadableAnnotations } from '../fields.js';

/** No credentials: those are in `config`. */
const KEPT = ['name', 'server', 'project'];
/** Of a fact in base64; longer ones are not kept. */
const MAX_LENGTH = 8_192;
/** How Argo CD calls the cluster that it runs in; its Secret has no credential. */
const IN_CLUSTER = /^https:\/\/kubernetes\.default\.svc(\.cluster\.local)?(:443)?\/?$/;

function dataOf(secret: KubeObject, key: string): string | undefined {
  const encoded = textAt(secret, 'data', key);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

function shortFactsOf(secret: KubeObject): Record<string, string> {
  const facts = KEPT.map((key) => [key, textAt(secret, 'data', key)] as const);
  return Object.fromEntries(
    facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1].length <= MAX_LENGTH),
  );
}

function credentialOf({ namespace = '', name }: KubeObject['metadata'], server: string | undefined): CredentialSource {
  if (server !== undefined && IN_CLUSTER.test(server)) {
    return {
      type: 'none',
      why: "it is Argo CD's name of the cluster that it runs in; for this cluster, leave the destination out",
    };
  }
  return { type: 'argocd-secret', namespace, name };
}

/** Secrets that describe the clusters of Argo CD. */
export const argocd: Adapter = {
  name: 'Argo CD',
  kind: { apiGroup: '', kind: 'Secret' },
  types: [secretResource],
  labelSelector: ARGOCD_SECRET_SELECTOR,
  keep: (secret) => {
    const { apiVersion, kind, metadata } = withReadableAnnotations(secret);
    return { apiVersion, kind, metadata, ...{ data: shortFactsOf(secret) } };
  },
  clusterOf: (secret) => {
    const server = dataOf(secret, 'server');
    return clusterOfObject(secret, argocd.kind, {
      facts: defined({ name: dataOf(secret, 'name'), server, project: dataOf(secret, 'project') }),
      isPaused: secret.metadata.annotations?.[ARGOCD_SKIP_RECONCILE_ANNOTATION] === 'true',
      credential: credentialOf(secret.metadata, server),
    });
  },
};
