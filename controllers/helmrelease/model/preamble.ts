import type { ChartTraits } from './chart-traits.js';

/** A template to be added to a chart; `path` is relative to the chart. */
export interface AddedTemplate {
  readonly path: string;
  readonly text: string;
}

export interface PreambleInput {
  readonly traits: ChartTraits;
  /** The revision to create. */
  readonly revision: number;
  /** Version of the chart, where it is not the one in Chart.yaml. */
  readonly version?: string | undefined;
  /** How many API versions helm is given; absent when helm asks the cluster itself. */
  readonly apiVersions?: number;
}

/** Sorts after NOTES.txt in helm's order (reversed by name), so that a failing NOTES.txt fails under its own name. */
const NOTES_COPY = 'templates/00-fairlead-notes.yaml';

/** `helm template` has no flag for the revision, but all templates share one `.Release`. */
function revisionText(revision: number): string {
  return `{{- $_ := set .Release "Revision" ${revision} -}}\n`;
}

/** All templates of a chart share one `.Chart`; those of its subcharts have their own. */
function versionText(version: string): string {
  return `{{- $_ := set .Chart "Version" ${JSON.stringify(version)} -}}\n`;
}

/**
 * `helm template` adds what it is given to every version that its own client library knows, so that a chart sees
 * `policy/v1beta1` on any cluster. Those given are the last ones. A method of a struct cannot be called on a copy of
 * it, so `.KubeVersion` becomes a map with the same fields.
 */
function apiVersionsText(count: number): string {
  return `{{- define "fairlead.capabilities" -}}
{{- $_ := set .chart "Capabilities" .capabilities -}}
{{- range .chart.Subcharts }}{{ include "fairlead.capabilities" (dict "chart" . "capabilities" $.capabilities) }}{{ end -}}
{{- end -}}
{{- $kube := .Capabilities.KubeVersion -}}
{{- $kube = dict "Version" $kube.Version "GitVersion" $kube.Version "Major" $kube.Major "Minor" $kube.Minor -}}
{{- $known := .Capabilities.APIVersions -}}
{{- $served := slice $known (int (sub (len $known) ${count})) -}}
{{- $all := dict "APIVersions" $served "KubeVersion" $kube "HelmVersion" .Capabilities.HelmVersion -}}
{{- include "fairlead.capabilities" (dict "chart" . "capabilities" $all) -}}
`;
}

/** helm template throws the notes away; in a document of its own they come through, if it reads as an object. */
function notesText(name: string): string {
  const notes = `${name}/templates/NOTES.txt`;
  return `{{- $_ := set . "Template" (dict "Name" ${JSON.stringify(notes)} "BasePath" ${JSON.stringify(`${name}/templates`)}) -}}
apiVersion: v1
kind: ConfigMap
metadata: {name: fairlead-notes}
notes: {{ include ${JSON.stringify(notes)} . | toJson }}
`;
}

/**
 * Templates that make `helm template` render a chart as an install or upgrade would. Empty when it does so anyway.
 * helm runs templates in deep folders first: that is where those stand that the others depend on.
 */
export function preamble({ traits, revision, version, apiVersions }: PreambleInput): AddedTemplate[] {
  const first =
    (version === undefined ? '' : versionText(version)) +
    (traits.usesRevision && revision !== 1 ? revisionText(revision) : '') +
    (traits.usesApiVersions && apiVersions !== undefined ? apiVersionsText(apiVersions) : '');
  const path = `templates/${'z/'.repeat(traits.depth)}fairlead-first.yaml`;
  return [
    ...(first === '' ? [] : [{ path, text: first }]),
    ...(traits.hasNotes ? [{ path: NOTES_COPY, text: notesText(traits.name) }] : []),
  ];
}

/** True for the `# Source:` path of the document that holds the notes. */
export function isNotesSource(source: string): boolean {
  return source.endsWith(`/${NOTES_COPY}`) && source.split('/').length === 3;
}
