import path from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { gitRepositoryResource, type GitRepository } from '#api/flux/git-repository.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { World } from '#sandbox/world.js';
import { Processes } from '#sandbox/world/processes.js';
import { secondsUntilReady, type Subjects } from './rounds.js';
import { startFlux } from './scenarios/flux-controller.js';

interface Round {
  readonly world: World;
  readonly concurrency: number;
  /** In a namespace of Flux's own. */
  readonly subjects: Subjects;
  /** One more, whose end shows that the controller is at work; it is not part of the time. */
  readonly probe: Kustomization;
  /** Of the source that all of them have. */
  readonly artifact: Artifact;
}

/** What Flux's source-controller would write: nobody reconciles the sources of this namespace. */
async function offerArtifact({ subjects: { kube, namespace }, probe, artifact }: Round): Promise<void> {
  const metadata = { name: probe.spec.sourceRef.name, namespace };
  const object: GitRepository = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata,
    spec: { url: 'https://example.com/repository.git', interval: '10m' },
  };
  await kube.create(gitRepositoryResource, object);
  const body = { status: { artifact } };
  await kube.patch(gitRepositoryResource, metadata, { type: 'merge', body }, { subresource: 'status' });
}

/** Seconds that Flux's own controller takes until all Kustomizations are Ready. It fetches our artifact. */
export async function fluxSeconds(round: Round): Promise<number> {
  const { world, concurrency, subjects, probe } = round;
  const { namespace } = subjects;
  await offerArtifact(round);
  const processes = await Processes.open(path.join(world.dir, 'flux'));
  try {
    const cluster = world.host;
    await startFlux({
      ...{ controller: 'kustomize-controller', cluster, processes, concurrency, namespace },
      scratch: world.dir,
    });
    await secondsUntilReady({ ...subjects, objects: [probe] });
    return await secondsUntilReady(subjects);
  } finally {
    await processes.stop();
  }
}
