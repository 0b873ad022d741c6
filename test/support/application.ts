import { load } from 'js-yaml';
import type { Application } from '#api/v1alpha1/application.js';

/** An Application with the status and more metadata in YAML. */
export function application(name: string, status = '{}', metadata = '{}'): Application {
  const own = load(metadata) as object;
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'shop', generation: 1, ...own },
    spec: { kind: 'fluxcd' },
    status: load(status),
  } as Application;
}

/** One destination runs, the other one is on its way. */
export const RUNNING = `
conditions: [{ type: Ready, status: "False", message: "1 of 2 ready" }, { type: Reconciling, status: "True", message: "" }]
summary: { ready: 1/2 }
revision: 1.4.2
destinations:
  - { name: prod-app, cluster: prod, namespace: app, release: web, state: Progressing, revision: 1.4.2, message: waiting }
  - { name: app, cluster: host, namespace: app, release: web, state: Ready, revision: 1.4.2 }
`;

export const STALLED = `
conditions:
  - { type: Ready, status: "False", message: "spec.fluxApp.spec.source is missing" }
  - { type: Stalled, status: "True", message: "" }
`;
