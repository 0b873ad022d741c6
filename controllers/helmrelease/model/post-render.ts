import type { Unstructured } from '#api/meta.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';
import { withMetadata } from '#engine/flux/model/manifests.js';
import { objectsOf, splitSources, type RenderedChart } from './manifest.js';
import type { HelmReleaseSpec } from './types.js';

/** Helm's own mark for the file that an object came from, while a post renderer has it. */
const FILE_ANNOTATION = 'postrenderer.helm.sh/postrender-filename';
const UNKNOWN_FILE = 'post-rendered.yaml';
/** Only a line feed ends a line for Go. */
const SEPARATOR = /(?<![^\n])---[ \t]*(?![^\n])/;

export type Kustomize = NonNullable<NonNullable<HelmReleaseSpec['postRenderers']>[number]['kustomize']>;

/** `manifests` holds documents of `helm template`, each after its `# Source:`. */
function marked(manifests: string): string[] {
  return splitSources(manifests).flatMap(({ path, text }) =>
    objectsOf(text).map((object) => printYaml(withMetadata(object, { annotations: { [FILE_ANNOTATION]: path } }))),
  );
}

function hookTexts({ hooks }: RenderedChart): string {
  return hooks.map(({ path, manifest }) => `---\n# Source: ${path ?? UNKNOWN_FILE}\n${manifest ?? ''}\n`).join('');
}

/** What post renderers see in one go, and what is passed by them. */
export interface PostRenderPlan {
  /** Documents after their `# Source:`; one text for each go. */
  readonly goes: readonly string[];
  readonly passedBy: string;
}

/** How a chart is handed to post renderers: hooks together with the rest (default), not at all, or on their own. */
export function planPostRender(chart: RenderedChart, strategy: HelmReleaseSpec['postRenderStrategy']): PostRenderPlan {
  const hooks = hookTexts(chart);
  if (strategy === 'nohooks') return { goes: [chart.manifest], passedBy: hooks };
  if (strategy === 'separate') return { goes: [chart.manifest, hooks], passedBy: '' };
  return { goes: [`${chart.manifest}${hooks}`], passedBy: '' };
}

/** kustomize takes no object twice; helm does if one of them is a hook. */
const REGISTERED_TWICE = 'already registered id';

/** Why post renderers failed, with the way out if hooks may be the reason. */
export function withStrategyHint(
  problem: string,
  { hooks }: Pick<RenderedChart, 'hooks'>,
  strategy: HelmReleaseSpec['postRenderStrategy'],
): string {
  const isTogether = hooks.length > 0 && strategy !== 'nohooks' && strategy !== 'separate';
  if (!isTogether || !problem.includes(REGISTERED_TWICE)) return problem;
  return `${problem}: if one of them is a hook of the chart, set spec.postRenderStrategy: separate, or nohooks`;
}

/** Documents with their `# Source:` as one YAML stream for kustomize; empty without objects. */
export function toKustomize(manifests: string): string {
  return marked(manifests)
    .map((document) => `---\n${document}`)
    .join('');
}

function unmarked(object: Unstructured): { readonly path: string; readonly object: Unstructured } {
  const { annotations = {}, ...metadata } = object.metadata;
  const { [FILE_ANNOTATION]: path = UNKNOWN_FILE, ...kept } = annotations;
  const own = Object.keys(kept).length === 0 ? metadata : { ...metadata, annotations: kept };
  return { path, object: { ...object, metadata: own } };
}

/** Inverse of toKustomize for what kustomize made of it. Throws what parseYaml throws. */
export function fromKustomize(output: string): string {
  return output
    .split(SEPARATOR)
    .filter((text) => text.trim() !== '')
    .map((text) => {
      // kustomize prints objects only.
      const { path, object } = unmarked(parseYaml(text) as Unstructured);
      return `---\n# Source: ${path}\n${printYaml(object).trimEnd()}\n`;
    })
    .join('');
}

/** The `kustomization.yaml` of one post renderer over `resources`, a file beside it. */
export function kustomizationOf({ patches = [], images = [] }: Kustomize, resources: string): string {
  return printYaml({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [resources],
    ...(images.length === 0 ? {} : { images }),
    ...(patches.length === 0 ? {} : { patches }),
  });
}

/** The post renderers that change something, in order. */
export function kustomizers({ postRenderers = [] }: HelmReleaseSpec): Kustomize[] {
  return postRenderers.flatMap(({ kustomize }) => (kustomize === undefined ? [] : [kustomize]));
}
