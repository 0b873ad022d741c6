import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { namespaceResource } from '#api/core.js';
import { createUser, tokenOfUser } from '#cli/demo/dashboard-user.js';
import { installCrds } from '#cli/install/crds.js';
import { kubeFromFile } from '#runtime/credentials.js';
import type { Kube } from '#runtime/kube.js';
import { startConsole, type ConsoleProcess } from '#sandbox/console-process.js';
import { startBrowser } from './scenarios/browser.js';
import { withWorld } from './with-world.js';

export interface Visited {
  readonly kube: Kube;
  readonly browser: Browser;
  readonly console: ConsoleProcess;
  /** Signs somebody in who may do everything in the namespace, once. */
  readonly link: () => Promise<string>;
}

async function linkOf(console: ConsoleProcess, kube: Kube, namespace: string): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  console.offer({ code, token: await tokenOfUser(kube, namespace) });
  return `${console.address}/login#${code}`;
}

/** A browser, and the real server over an API server that has a namespace with what `fill` puts there. */
export function withDashboard<T>(
  namespace: string,
  fill: (kube: Kube) => Promise<void>,
  measure: (visited: Visited) => Promise<T>,
): Promise<T> {
  return withWorld({ members: 0 }, async (world) => {
    const kube = await kubeFromFile({ path: world.host.kubeconfig });
    const browser = await startBrowser();
    const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-bench-console-'));
    try {
      await installCrds(kube, { takeOver: false });
      await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await fill(kube);
      await createUser(kube, { namespace });
      const console = await startConsole({ kubeconfig: world.host.kubeconfig, helm: world.tools.helm, dir });
      try {
        return await measure({ kube, browser, console, link: () => linkOf(console, kube, namespace) });
      } finally {
        await console.stop();
      }
    } finally {
      await browser.close();
      await kube.close();
      await rm(dir, { recursive: true, force: true });
    }
  });
}
