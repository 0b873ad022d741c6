import { namespaceResource, secretResource } from '#api/core.js';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { isMap } from '#lib/plain.js';
import { askedApproval } from '../story/perform-applications.js';
import { RESTORED, restoredMetadata } from '../story/restore.js';
import type { Step } from '../story/steps.js';
import { LEADS_TO } from '../world/engine-base.js';
import { CHILD_RESOURCES } from '../world/kinds.js';
import type { MemoryServer } from '../world/server.js';
import { NAMESPACE } from '../world/world.js';
import type { UserRequest } from './memory.js';
import type { Stage } from './stage.js';
import { childKey } from './view.js';

type WithSpec = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

/** Does on real servers what users did in the world in memory. */
export class RealUser {
  readonly #stage: Stage;
  /** Children by their names in memory, as they were before the step. */
  readonly #before = new Map<string, Child>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Notes which children there are in memory, before a step. */
  see(server: MemoryServer): void {
    this.#before.clear();
    for (const type of CHILD_RESOURCES) {
      for (const each of server.list(type)) this.#before.set(`${type.kind} ${each.metadata.name}`, each as Child);
    }
  }

  /** Throws what the API server says if it refuses the step. */
  async perform(step: Step, requests: readonly UserRequest[]): Promise<void> {
    const { fleet } = this.#stage;
    switch (step.do) {
      case 'approve':
        return this.#approve(step);
      case 'restore':
        return this.#restore(step.keepsStatus);
      case 'commit':
        return this.#commit(step.number);
      case 'down':
      case 'up':
        return this.#stage.setDown(step.member, step.do === 'down');
      case 'break':
        return this.#stage.break(step.member, step.version);
      case 'mend':
        return this.#stage.mend(step.member);
      case 'restart':
        return fleet.restart();
      default:
        for (const request of requests) await this.#repeat(request);
    }
  }

  async #repeat(request: UserRequest): Promise<void> {
    const { host: kube, names } = this.#stage;
    const { type } = request;
    if (request.verb === 'create') {
      await kube.create<KubeObject>(type, this.#object(type, request.object));
    } else if (request.verb === 'update') {
      const { spec } = this.#object(type, request.object);
      const body = [{ op: 'replace', path: '/spec', value: spec }];
      await kube.patch(type, await this.#ref(type, request.object.metadata), { type: 'json', body });
    } else if (request.verb === 'patch') {
      const body = this.#withSecret(type, names.toReal(request.patch.body));
      const options = request.subresource === undefined ? {} : { subresource: request.subresource };
      await kube.patch(type, await this.#ref(type, request.ref), { type: 'merge', body }, options);
    } else {
      const { propagationPolicy } = request.options;
      const options = propagationPolicy === undefined ? {} : { propagationPolicy };
      await kube.delete(type, await this.#ref(type, request.ref), options);
    }
  }

  #object(type: ResourceType, object: KubeObject): WithSpec {
    return this.#withSecret(type, this.#stage.names.toReal(object)) as WithSpec; // an object, translated
  }

  /** Secrets of the world in memory name a cluster; real ones have a kubeconfig. */
  #withSecret(type: ResourceType, value: unknown): unknown {
    if (type.plural !== secretResource.plural || !isMap(value) || !isMap(value['data'])) return value;
    const { [LEADS_TO]: uid } = value['data'];
    const leadsTo = this.#stage.names.fromReal(uid);
    return { ...value, data: { [LEADS_TO]: this.#stage.secretValue(String(leadsTo)) } };
  }

  async #ref(type: ResourceType, { name }: ObjectRef): Promise<ObjectRef> {
    const { namespace } = this.#stage.names;
    if (type.plural === namespaceResource.plural) return { name: name === NAMESPACE ? namespace : name };
    const child = this.#before.get(`${type.kind} ${name}`);
    if (child === undefined) return { name, namespace };
    const key = childKey(child);
    const found = await this.#stage.list<Child>(type);
    const same = found.find((each) => childKey(this.#stage.names.fromReal(each)) === key);
    return { name: same?.metadata.name ?? name, namespace };
  }

  async #approve({ app, what }: Extract<Step, { do: 'approve' }>): Promise<void> {
    const found = await this.#stage.applications();
    const application = found.find(({ metadata }) => metadata.name === app);
    const annotations = application === undefined ? undefined : askedApproval(application, what);
    if (application === undefined || annotations === undefined) return;
    const body = { metadata: { annotations } };
    await this.#stage.host.patch(applicationResource, application.metadata, { type: 'merge', body });
  }

  async #commit(number: number): Promise<void> {
    const { fleet, names, host } = this.#stage;
    const { namespace } = names;
    await fleet.point(namespace, fleet.commits[number - 1] ?? '');
    const body = { metadata: { annotations: { [REQUESTED_AT_ANNOTATION]: String(Date.now()) } } };
    await host.patch(gitRepositoryResource, { name: 'files', namespace }, { type: 'merge', body });
  }

  /** As `story/restore.ts` does it, while no controller runs. */
  async #restore(keepsStatus: boolean): Promise<void> {
    const { host: kube, fleet } = this.#stage;
    await fleet.restart(async () => {
      const saved: { type: ResourceType; objects: WithSpec[] }[] = [];
      for (const type of RESTORED) saved.push({ type, objects: await this.#stage.list<WithSpec>(type) });
      for (const { type, objects } of saved) {
        for (const { metadata } of objects) {
          await kube.patch(type, metadata, { type: 'merge', body: { metadata: { finalizers: null } } });
          await kube.delete(type, metadata);
        }
      }
      for (const { type, objects } of saved) {
        for (const object of objects) {
          const created = await kube.create<WithSpec>(type, { ...object, metadata: restoredMetadata(object) });
          const { status } = object;
          if (keepsStatus && status !== undefined) {
            await kube.update<WithSpec>(type, { ...created, status }, { subresource: 'status' });
          }
        }
      }
    });
  }
}
