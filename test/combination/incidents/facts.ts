import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Content } from '../model/content.js';
import type { World } from '../world/world.js';

/** A Helm release on a cluster. */
export interface RunningRelease {
  /** Name of the member. */
  readonly cluster: string;
  readonly name: string;
  /** Chart, version and values. */
  readonly content: Content;
  /** Another one after an uninstall: data is lost then. */
  readonly instance: string;
}

/** An installation or an upgrade. */
export interface Deployment {
  readonly cluster: string;
  readonly name: string;
  readonly content: Content;
  readonly atMs: number;
}

/** Facts that the expectations of an incident read, in memory and on real servers. */
export interface Facts {
  readonly applications: readonly Application[];
  readonly children: readonly Child[];
  readonly releases: readonly RunningRelease[];
  /** Everything that was deployed up to now. */
  readonly deployments: readonly Deployment[];
}

/** Reads the facts of the world in memory. */
export function factsInMemory(world: World): Facts {
  const { members } = world;
  const installed = members.installed().filter(({ place }) => place.kind === 'HelmRelease');
  const done = members.actions.filter(({ action }) => action === 'install' || action === 'upgrade');
  return {
    applications: world.applications(),
    children: world.children(),
    releases: installed.map(({ place: { cluster, name }, content, instance }) => ({
      ...{ cluster, name, content, instance: String(instance) },
    })),
    deployments: done.map(({ place: { cluster, name }, content, atMs }) => ({ cluster, name, content, atMs })),
  };
}
