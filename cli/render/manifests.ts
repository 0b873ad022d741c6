import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pLimit from 'p-limit';
import { type HelmRelease, helmReleaseResource } from '#api/flux/helm-release.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { clusterNameOf } from '#controllers/application/model/child/cluster.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { desiredHelmChart } from '#controllers/helmrelease/model/helm-chart.js';
import { kustomizers } from '#controllers/helmrelease/model/post-render.js';
import { createRenderRelease, type RenderRelease } from '#controllers/helmrelease/render-offline.js';
import { createRenderKustomization, type RenderKustomization } from '#controllers/kustomization/render-offline.js';
import { LocalFiles } from '#controllers/source/local/files.js';
import type { LocalSource } from '#controllers/source/local/chart.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import { withSecretData } from '#engine/flux/model/manifests.js';
import { masked } from '#engine/flux/model/masks.js';
import { dataOf, leavesOf } from '#engine/flux/model/secret-texts.js';
import { plainCapabilities, plainResourceType } from '#engine/member/plain-cluster.js';
import { limitedRun, run } from '#engine/process/run.js';
import { CancelledError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { isMap } from '#lib/plain.js';
import { printYaml, readYaml } from '#lib/yaml/yaml.js';
import type { Kube } from '#runtime/client/kube.js';
import { errorLine, interrupted } from '../command/exit.js';
import { type RenderPrograms, requirePrograms, withWorkbench, type Workbench } from '../command/local-helm.js';
import { kubeOfFiles, type RenderedFiles, type RenderSettings, renderWith } from './file-world.js';
import { filesOf, type ManifestSettings, type SourceRef, sourceText, unusedFiles } from './manifest-flags.js';

/** A shorter text stands in nearly every other text, and is no secret. */
const SHORTEST = 4;

/** A value as a whole, and the texts of the YAML that it may be. */
function spellings(text: string): string[] {
  const read = readYaml(text);
  return [text, ...('value' in read ? leavesOf(read.value).values : [])];
}

/** The texts that the Secrets among some objects hold, and no message may show. */
export function secretTexts(objects: readonly KubeObject[]): string[] {
  return objects
    .flatMap(dataOf)
    .flatMap(spellings)
    .filter(({ length }) => length >= SHORTEST);
}

/** A document that is applied, and the file of the chart that it is from. */
export interface ManifestDocument {
  readonly text: string;
  readonly path?: string;
}

/** What is applied for one child. */
export interface ChildManifests {
  /** `Kind/namespace/name`. */
  readonly child: string;
  /** `namespace/name`. */
  readonly application: string;
  readonly cluster: string;
  /** Where objects go that name none. */
  readonly namespace: string | undefined;
  readonly documents: readonly ManifestDocument[];
}

export interface RenderedManifests extends RenderedFiles {
  /** In the order of the children. */
  readonly manifests: readonly ChildManifests[];
  /** Which children are not rendered, and why. */
  readonly problems: readonly string[];
}

/** As many as a controller renders at the same time. */
const AT_ONCE = 4;
/** Artifacts are read from the disk here, and served to nobody. */
const NOWHERE = 'http://localhost';

function isRelease(child: Child): child is Child & HelmRelease {
  return child.kind === helmReleaseResource.kind;
}

/** The API of these kinds is that of the types. */
function asKustomization(child: Child): Kustomization {
  return child as unknown as Kustomization;
}

function subjectOf({ kind, metadata }: Child): string {
  return `${kind}/${keyOf(metadata)}`;
}

function sourceOf(child: Child): SourceRef {
  const own = child.metadata.namespace ?? '';
  const { chart, chartRef } = isRelease(child) ? child.spec : {};
  const ref = chart?.spec.sourceRef ?? chartRef ?? asKustomization(child).spec.sourceRef;
  return { kind: ref.kind, name: ref.name, namespace: ref.namespace ?? own };
}

function namespaceOf(child: Child): string | undefined {
  const { targetNamespace } = child.spec;
  if (typeof targetNamespace === 'string') return targetNamespace;
  return isRelease(child) ? child.metadata.namespace : undefined;
}

/** `spec.ignore` of a source that is among the objects. */
function ignoreOf(objects: readonly KubeObject[], source: SourceRef): string | undefined {
  const found = objects.find(
    ({ apiVersion, kind, metadata: { name, namespace } }) =>
      apiVersion.startsWith('source.toolkit.fluxcd.io/') &&
      sourceText({ kind, name, namespace: namespace ?? '' }) === sourceText(source),
  );
  const spec = (found as Unstructured | undefined)?.['spec'];
  return isMap(spec) && typeof spec['ignore'] === 'string' ? spec['ignore'] : undefined;
}

/** Renders children as the engine does, from files of this machine. */
class OfflineEngine {
  readonly #settings: ManifestSettings & Pick<RenderSettings, 'signal'>;
  readonly #objects: readonly KubeObject[];
  readonly #kube: Pick<Kube, 'get'>;
  readonly #files: LocalFiles;
  readonly #release: RenderRelease;
  readonly #kustomization: RenderKustomization;

  constructor(
    objects: readonly KubeObject[],
    settings: ManifestSettings & Pick<RenderSettings, 'signal'>,
    tools: RenderPrograms & Pick<Workbench, 'offload'> & { readonly root: string },
  ) {
    const { root, ...programs } = tools;
    const store = createArtifactStore({ root, baseUrl: NOWHERE });
    const all = { ...programs, store, run: limitedRun(run, AT_ONCE) };
    this.#settings = settings;
    this.#objects = objects;
    this.#kube = kubeOfFiles(objects.map((object) => withSecretData(object as Unstructured))); // it has any fields
    this.#files = new LocalFiles(all, settings.signal);
    this.#release = createRenderRelease(all);
    this.#kustomization = createRenderKustomization(all);
  }

  /** What is applied for a child, or why that is not known. */
  async documentsOf(child: Child): Promise<readonly ManifestDocument[] | { readonly problem: string }> {
    const ref = sourceOf(child);
    const files = filesOf(this.#settings.sources, ref);
    if (files === undefined) {
      const shown = sourceText(ref);
      return { problem: `there are no files of ${shown}: set --source ${shown}=PATH` };
    }
    const source = { ...ref, path: files.path, ignore: ignoreOf(this.#objects, ref) };
    try {
      return await (isRelease(child) ? this.#ofRelease(child, source) : this.#ofKustomization(child, source));
    } catch (error: unknown) {
      if (this.#settings.signal.aborted || error instanceof CancelledError) throw error;
      // A chart, or a schema of its values, quotes what it does not like.
      return { problem: masked(errorLine(error), secretTexts(this.#objects)) };
    }
  }

  async #ofRelease(release: HelmRelease, source: LocalSource): Promise<readonly ManifestDocument[]> {
    const { kubeVersion, apiVersions, signal } = this.#settings;
    const { chart: template } = release.spec;
    const wanted = template && desiredHelmChart(release, template);
    // As of one that was just created: values files put its generation into the version of the chart.
    const created = wanted && { ...wanted, metadata: { ...wanted.metadata, generation: 1 } };
    const chart = await this.#files.chart(created, source);
    const capabilities = plainCapabilities(kubeVersion, apiVersions);
    return this.#release({ release, chart, kube: this.#kube, capabilities, signal });
  }

  async #ofKustomization(child: Child, source: LocalSource): Promise<readonly ManifestDocument[]> {
    const { signal } = this.#settings;
    const artifact = await this.#files.tree(source);
    const kustomization = asKustomization(child);
    const member = { resourceType: plainResourceType };
    const objects = await this.#kustomization({ kustomization, artifact, kube: this.#kube, member, signal });
    return objects.map((object) => ({ text: printYaml(object).trimEnd() }));
  }
}

/** Gives `work` a folder that is gone afterwards, whatever happens. */
async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-render-'));
  try {
    return await work(folder);
  } finally {
    // What was interrupted may still write to it.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Owned {
  readonly child: Child;
  readonly application: string;
}

async function renderChildren(
  all: readonly Owned[],
  engine: OfflineEngine,
): Promise<Pick<RenderedManifests, 'manifests' | 'problems'>> {
  const limit = pLimit(AT_ONCE);
  const rendered = await Promise.all(all.map(({ child }) => limit(() => engine.documentsOf(child))));
  const manifests: ChildManifests[] = [];
  const problems: string[] = [];
  for (const [index, { child, application }] of all.entries()) {
    const found = rendered[index] ?? [];
    const about = { child: subjectOf(child), cluster: clusterNameOf(child) };
    if ('problem' in found) problems.push(`${about.child} on ${about.cluster} is not rendered: ${found.problem}`);
    else manifests.push({ ...about, application, namespace: namespaceOf(child), documents: found });
  }
  return { manifests, problems };
}

/**
 * What the first roll-out of all Applications among some objects applies to each cluster, as if nothing else were in the
 * cluster. Throws on bad input.
 */
export async function renderManifests(
  objects: readonly KubeObject[],
  settings: RenderSettings & ManifestSettings,
): Promise<RenderedManifests> {
  const { helmPath, signal, sources } = settings;
  return withWorkbench(helmPath, async (workbench) => {
    const files = await renderWith(objects, settings, workbench);
    const children = files.files.flatMap(({ application, rendered }) =>
      rendered.children.map((child) => ({ child, application: keyOf(application.metadata) })),
    );
    const needsKustomize = ({ child }: Owned): boolean => !isRelease(child) || kustomizers(child.spec).length > 0;
    const needs = { helm: children.some(({ child }) => isRelease(child)), kustomize: children.some(needsKustomize) };
    const programs = await requirePrograms(settings, needs);
    const rendered = await withFolder((root) => {
      const engine = new OfflineEngine(objects, settings, { ...programs, offload: workbench.offload, root });
      return Promise.race([renderChildren(children, engine), interrupted(signal)]);
    });
    const unused = unusedFiles(
      sources,
      children.map(({ child }) => sourceOf(child)),
    );
    const notes = unused.map(({ text }) => `--source ${text} is not used: no release or Kustomization has this source`);
    return { ...files, ...rendered, notes: [...files.notes, ...notes] };
  });
}
